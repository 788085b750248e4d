
/// Added to each crate of the copy: which mutant this process is.
mod mutant_choice {
    use std::io::Write as _;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Chosen if the process notes which mutants it reaches.
    const NOTE: usize = usize::MAX;
    const NONE: usize = usize::MAX - 1;
    const MUTANTS: usize = 100_000;

    /// Whether the process is the mutant of this number, which `MULTITRACE_MUTANT` says.
    #[inline]
    pub(crate) fn is_mutant(number: usize) -> bool {
        static CHOSEN: OnceLock<usize> = OnceLock::new();
        let chosen = *CHOSEN.get_or_init(choose);
        if chosen == NOTE {
            note(number);
        }
        chosen == number
    }

    #[cold]
    fn choose() -> usize {
        if std::env::var_os("MULTITRACE_MUTANTS_REACHED").is_some() {
            return NOTE;
        }
        let number = std::env::var("MULTITRACE_MUTANT").ok();
        number.map_or(NONE, |it| it.parse().expect("the number of a mutant"))
    }

    /// Adds a line to the file that `MULTITRACE_MUTANTS_REACHED` names, once for each number.
    #[cold]
    fn note(number: usize) {
        static NOTED: [AtomicBool; MUTANTS] = [const { AtomicBool::new(false) }; MUTANTS];
        if NOTED[number].load(Ordering::Relaxed) || NOTED[number].swap(true, Ordering::Relaxed) {
            return;
        }
        let path = std::env::var_os("MULTITRACE_MUTANTS_REACHED").expect("a path");
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).expect("the file opens");
        file.write_all(format!("{number}\n").as_bytes()).expect("the file is written");
    }
}
pub(crate) use mutant_choice::is_mutant;
