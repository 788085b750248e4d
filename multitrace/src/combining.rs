//! The parts of locations in, sessions out; or requests for the words whose letters are needed (paper 004 sec. 4.4).

// Idea: all sessions that logged the same words at every location have one verdict, so that rows of words are judged, and
// a word is asked for once. Its letters are those that give its name: nobody need believe a location.
//
// Invariant: a session is given a failure without letters only if it fails whatever they are: a log that its verifier
// refuses, or areas without a common path, and no gap that might excuse it.

use crate::combined_sessions::{CombinedSessions, CombinedWord, failure, row};
use crate::error::{Error, PartsError};
use crate::inputs::Inputs;
use crate::memory_session::MemorySession;
use crate::monitor::Monitor;
use crate::read_counts::ReadCounts;
use crate::splitting::{bundle_hash, file_stems};
use indexmap::map::Entry;
use indexmap::{IndexMap, IndexSet};
use multitrace_formats::record_counts::RecordCounts;
use multitrace_interaction::{Cause, Failure, Frontier, Id, LetterId, LocationId, Observation};
use multitrace_reports::local_files::{
    LineError, LocalContent, LocalHeader, LocalLine, LocalReader, LocalStop, LocalWord,
    LocalWriter, LoggedEvent, LoggedWord, WordDigest,
};
use multitrace_runtime::{AreaRows, Gaps};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The parts of locations as one, and the words whose letters they lack.
///
/// ```
/// use multitrace::{Inputs, LocalMonitor, LocalOptions, RunOptions, Spec, SpecFormat};
/// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
/// let monitor = spec.compile(&Default::default())?.monitor;
/// let log = || Inputs::reader("log", &br#"{"session":"s1","traces":{"a":["a!ping"],"b":["b?ping"]}}"#[..]);
/// let mut files = Vec::new();
/// let mut locations = Vec::new();
/// for (name, bundle) in monitor.split() {
///     let local = LocalMonitor::from_bytes(&bundle)?;
///     let part = local.part(log(), &LocalOptions::default())?.bytes.expect("a log without problems");
///     files.push((name.clone(), part));
///     locations.push((name, local));
/// }
/// // Both locations are asked for the letters of their word.
/// let combined = monitor.combine(&files, false)?;
/// assert_eq!(combined.requests().len(), 2);
/// for (name, request) in combined.requests() {
///     let (_, local) = locations.iter().find(|it| it.0 == *name).expect("a location");
///     let letters = local.answer(log(), request, &LocalOptions::default())?.bytes;
///     files.push((name.clone(), letters.expect("a log without problems")));
/// }
/// let inputs = monitor.combine(&files, false)?.into_inputs()?;
/// assert_eq!(monitor.run(inputs, RunOptions::new(&monitor), &mut ())?.summary().pass, 1);
/// # Ok::<(), multitrace::Error>(())
/// ```
#[derive(Debug)]
pub struct Combined {
    sessions: CombinedSessions,
    requests: Vec<(String, Vec<u8>)>,
    asked: usize,
    silent: Vec<String>,
    read: ReadCounts,
    notes: Vec<String>,
}

impl Monitor {
    /// Combines files of [`LocalMonitor`](crate::LocalMonitor), each with its name in messages: parts, and letters, which
    /// may be those of earlier parts. Sessions are in the order of the parts, each where it occurs first. With
    /// `verdicts_only`, no letters are needed of sessions that fail at one location, or whose areas have no path in
    /// common; they are reported without their faults.
    ///
    /// # Errors
    /// When a file is of another bundle, cut off or damaged, and when a session is in two parts of one location.
    pub fn combine(
        &self,
        files: &[(String, Vec<u8>)],
        verdicts_only: bool,
    ) -> Result<Combined, Error> {
        let mut gathered = Gathered::new(self);
        for (name, bytes) in files {
            let error = |error| Error::LocalFile { name: name.clone(), error };
            gathered.add_file(bytes).map_err(error)?;
        }
        Ok(gathered.finish(verdicts_only))
    }
}

impl Combined {
    /// The requests, by the name of the file of each location's bundle, without extension: those words are needed before there
    /// are inputs.
    pub fn requests(&self) -> &[(String, Vec<u8>)] {
        &self.requests
    }

    /// How many words are asked for.
    pub fn asked(&self) -> usize {
        self.asked
    }

    /// A remark on each location without a part, whose logs count as empty. Reports have it.
    pub fn silent_locations(&self) -> impl Iterator<Item = String> {
        self.silent.iter().map(|it| format!("there is no part of {it}: its logs count as empty"))
    }

    /// The sessions, for a run.
    ///
    /// # Errors
    /// When words are asked for.
    pub fn into_inputs(self) -> Result<Inputs, Error> {
        if self.asked > 0 {
            return Err(PartsError::Letters(self.asked).into());
        }
        let notes = self.silent_locations().chain(self.notes.clone()).collect();
        let sessions = Arc::new(self.sessions);
        let all = 0..sessions.names.len();
        let all = all.map(|number| MemorySession::Combined(Arc::clone(&sessions), number));
        Ok(Inputs::in_memory(all.collect()).read_elsewhere(self.read, notes))
    }
}

/// A word of a location, as its parts say.
struct Word {
    said: LocalWord,
    area: Option<AreaRows>,
}

/// The words and letters of a location.
struct Location {
    letters: Vec<LetterId>,
    /// How many rows its areas have.
    rows: usize,
    words: IndexMap<WordDigest, Word>,
    logged: HashMap<WordDigest, LoggedWord>,
    has_part: bool,
}

/// A file while it is read.
struct OpenFile {
    content: LocalContent,
    location: usize,
    areas: Vec<(Vec<u32>, u32)>,
    /// The numbers of its words among all of the location.
    words: IndexSet<usize>,
    before: String,
}

struct Gathered<'m> {
    monitor: &'m Monitor,
    hash: [u8; 32],
    locations: Vec<Location>,
    /// By name, the gaps.
    sessions: IndexMap<String, Gaps>,
    /// For each session a word of each location, from 1, 0 for none.
    words: Vec<u32>,
    is_cut: bool,
    /// Counts of the records and files of all locations, and remarks on files that were left out.
    read: ReadCounts,
    notes: Vec<String>,
}

impl Gathered<'_> {
    fn new(monitor: &Monitor) -> Gathered<'_> {
        let locals = monitor.bundle().locals.iter();
        let locations = locals.map(|local| Location {
            letters: local.letters.clone(),
            rows: (local.forward.as_ref())
                .and_then(|table| Some(table.areas.as_ref()?.rows.len()))
                .unwrap_or(0),
            words: IndexMap::new(),
            logged: HashMap::new(),
            has_part: false,
        });
        let (hash, locations) = (bundle_hash(monitor), locations.collect());
        Gathered {
            monitor,
            hash,
            locations,
            sessions: IndexMap::new(),
            words: Vec::new(),
            is_cut: false,
            read: ReadCounts::default(),
            notes: Vec::new(),
        }
    }

    fn add_file(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        let (header, mut reader) = LocalReader::begin(bytes)?;
        let mut file = self.begin(header).map_err(|why| reader.error(why))?;
        while let Some(line) = reader.next_line()? {
            self.add(&mut file, line).map_err(|why| reader.error(why))?;
        }
        Ok(())
    }

    fn begin(&mut self, header: LocalHeader) -> Result<OpenFile, String> {
        if !header.is_of(&self.hash) {
            return Err("it is of another bundle than this one".to_owned());
        }
        let location = self.monitor.alphabet().location(&header.location);
        let location = location.ok_or("its location is unknown")?.index();
        match header.content {
            LocalContent::Part => self.locations[location].has_part = true,
            LocalContent::Letters => {}
            LocalContent::Request => {
                return Err("this is a request, which its location answers".to_owned());
            }
        }
        Ok(OpenFile {
            content: header.content,
            location,
            areas: Vec::new(),
            words: IndexSet::new(),
            before: String::new(),
        })
    }

    fn add(&mut self, file: &mut OpenFile, line: LocalLine) -> Result<(), String> {
        let location = &mut self.locations[file.location];
        match (file.content, line) {
            (LocalContent::Part, LocalLine::Area(rows, last)) => {
                let is_known = rows.iter().all(|&row| (row as usize) < location.rows);
                ensure(is_known && rows.contains(&last), "an area")?;
                file.areas.push((rows, last));
                Ok(())
            }
            (LocalContent::Part, LocalLine::Word(word)) => location.add_word(file, word),
            (LocalContent::Part, LocalLine::Sessions(batch)) => {
                let gaps =
                    batch.gaps.as_deref().map(|it| Gaps::named(it).ok_or("the gaps are wrong"));
                let gaps = gaps.transpose()?.unwrap_or_default();
                let sessions = batch.sessions(&mut file.before);
                for (id, word) in sessions.map_err(|error| error.to_string())? {
                    self.add_session(file, id, word, gaps)?;
                }
                Ok(())
            }
            (LocalContent::Part, LocalLine::Cut) => {
                self.is_cut = true;
                Ok(())
            }
            (LocalContent::Part, LocalLine::Records(counts)) => {
                let counts = RecordCounts::of_names(&counts).map_err(|error| error.to_string())?;
                self.read.add(&ReadCounts { counts: Some(counts), ..ReadCounts::default() });
                Ok(())
            }
            (LocalContent::Part, LocalLine::EmptyFiles(count)) => {
                self.read.empty_files = self.read.empty_files.saturating_add(count);
                Ok(())
            }
            (LocalContent::Part, LocalLine::Note(note)) => {
                let name = LocationId::new(file.location);
                let name = self.monitor.alphabet().location_name(name);
                self.notes.push(format!("{name}: {note}"));
                Ok(())
            }
            (LocalContent::Letters, LocalLine::Letters(word)) => {
                ensure(location.has_letters_of(&word), "a letter")?;
                let digest = WordDigest::of(&self.hash, file.location, &word);
                location.logged.insert(digest, word);
                Ok(())
            }
            _ => Err("a line that belongs to another kind of file".to_owned()),
        }
    }

    fn add_session(
        &mut self,
        file: &OpenFile,
        id: String,
        word: u32,
        gaps: Gaps,
    ) -> Result<(), String> {
        let word = *file.words.get_index(word as usize).ok_or("the number of a word is wrong")?;
        let count = self.locations.len();
        let number = match self.sessions.entry(id) {
            Entry::Occupied(mut known) => {
                *known.get_mut() = gaps.max(*known.get());
                known.index()
            }
            Entry::Vacant(new) => {
                let number = new.index();
                new.insert(gaps);
                self.words.resize((number + 1) * count, 0);
                number
            }
        };
        let own = &mut self.words[number * count + file.location];
        match std::mem::replace(own, word as u32 + 1) {
            0 => Ok(()),
            _ => Err(format!(
                "session {:?} is in two parts of one location, whose logs belong in one part",
                self.sessions.get_index(number).map_or("", |it| it.0)
            )),
        }
    }

    fn finish(self, verdicts_only: bool) -> Combined {
        let Gathered { monitor, hash, mut locations, sessions, words, is_cut, read, notes } = self;
        // A log that was cut off concerns sessions of all logs.
        let least = if is_cut { Gaps::Ends } else { Gaps::None };
        let mut needed: Vec<IndexSet<WordDigest>> = vec![IndexSet::new(); locations.len()];
        let (mut rows, mut failures, mut seen) = (Vec::new(), HashMap::new(), HashSet::new());
        for (words, gaps) in words.chunks(locations.len().max(1)).zip(sessions.values()) {
            let gaps = least.max(*gaps);
            let key: Vec<u8> = row(words, gaps).collect();
            rows.extend_from_slice(&key);
            if seen.contains(&key) {
                continue;
            }
            let tuple = Tuple { monitor, locations: &locations, words, gaps };
            let withheld: Vec<_> = tuple.without_letters().collect();
            let is_wanted = verdicts_only && !withheld.is_empty();
            match is_wanted.then(|| tuple.failure()).flatten() {
                Some(failure) => _ = failures.insert(key.clone(), failure),
                None => withheld.into_iter().for_each(|(at, word)| _ = needed[at].insert(word)),
            }
            seen.insert(key);
        }
        let all = monitor.alphabet().locations().map(|it| monitor.alphabet().location_name(it));
        let silent = all.zip(&locations).filter(|it| !it.1.has_part);
        let silent = silent.map(|it| it.0.to_owned()).collect();
        let asked = needed.iter().map(IndexSet::len).sum();
        let requests = requests(monitor, &hash, &needed);
        let locations = locations.iter_mut().map(Location::take).collect();
        let names = sessions.into_keys().collect();
        let sessions = CombinedSessions { locations, names, rows, failures };
        Combined { sessions, requests, asked, silent, read, notes }
    }
}

/// The requests for words, by location, with the names of their files.
fn requests(
    monitor: &Monitor,
    hash: &[u8; 32],
    needed: &[IndexSet<WordDigest>],
) -> Vec<(String, Vec<u8>)> {
    let alphabet = monitor.alphabet();
    let all = alphabet.locations().zip(file_stems(alphabet)).zip(needed);
    let all = all.filter(|(_, words)| !words.is_empty()).map(|((location, stem), words)| {
        let name = alphabet.location_name(location);
        let mut request = LocalWriter::begin(LocalContent::Request, hash, name);
        words.iter().for_each(|digest| request.put(&LocalLine::Need(*digest)));
        (stem, request.finish())
    });
    all.collect()
}

fn ensure(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{what} is wrong")) }
}

impl Location {
    fn add_word(&mut self, file: &mut OpenFile, said: LocalWord) -> Result<(), String> {
        let letters = self.letters.len();
        let is_letter = |letter: &u32| (*letter as usize) < letters;
        let fits = |stop: &LocalStop| {
            let is_end = stop.index == said.length;
            is_end == stop.letter.is_none()
                && stop.index <= said.length
                && stop.letter.iter().chain(&stop.expected).all(is_letter)
        };
        ensure(said.stop.as_ref().is_none_or(fits), "the place where a word is impossible")?;
        let area =
            said.area.map(|it| file.areas.get(it as usize).ok_or("the number of an area is wrong"));
        let area = area.transpose()?.map(|(rows, last)| AreaRows {
            rows: rows.clone(),
            last: *last,
            is_empty: said.length == 0,
        });
        ensure(area.is_none() || said.stop.is_none(), "an area of an impossible word")?;
        let word = Word { said, area };
        let number = match self.words.entry(word.said.digest) {
            Entry::Occupied(known) => {
                let same = known.get().area == word.area && known.get().said.stop == word.said.stop;
                ensure(
                    same,
                    "the finding or the area of a word, which another part tells otherwise,",
                )?;
                known.index()
            }
            Entry::Vacant(new) => {
                let number = new.index();
                new.insert(word);
                number
            }
        };
        ensure(file.words.insert(number), "a word that is there twice")
    }

    fn has_letters_of(&self, word: &LoggedWord) -> bool {
        word.events.iter().all(|event| match event {
            LoggedEvent::Letter(letter) => (*letter as usize) < self.letters.len(),
            LoggedEvent::Unknown(_) => true,
        })
    }

    /// Whether a word's letters are known.
    fn knows(&self, word: &Word) -> bool {
        let is_empty = word.said.length == 0 && !word.said.unknown;
        is_empty || self.logged.contains_key(&word.said.digest)
    }

    /// Its letters and words, for sessions.
    fn take(&mut self) -> (Vec<LetterId>, Vec<CombinedWord>) {
        let words = std::mem::take(&mut self.words).into_iter().map(|(digest, word)| {
            let is_empty = word.said.length == 0 && !word.said.unknown;
            let logged = self.logged.remove(&digest).or(is_empty.then(LoggedWord::default));
            CombinedWord { length: word.said.length as usize, stop: word.said.stop, logged }
        });
        (self.letters.clone(), words.collect())
    }
}

/// The words of a session.
struct Tuple<'a> {
    monitor: &'a Monitor,
    locations: &'a [Location],
    words: &'a [u32],
    gaps: Gaps,
}

impl Tuple<'_> {
    /// By location, the word there.
    fn words(&self) -> impl Iterator<Item = Option<(&Location, &Word)>> {
        self.words.iter().zip(self.locations).map(|(number, location)| {
            let number = (*number as usize).checked_sub(1)?;
            Some((location, &location.words[number]))
        })
    }

    /// The words whose letters are not known, by the index of their location.
    fn without_letters(&self) -> impl Iterator<Item = (usize, WordDigest)> {
        let unknown = |(at, found): (usize, Option<(&Location, &Word)>)| {
            let (location, word) = found?;
            (!location.knows(word)).then_some((at, word.said.digest))
        };
        self.words().enumerate().filter_map(unknown)
    }

    /// Why it fails, if its words alone tell.
    fn failure(&self) -> Option<Failure> {
        let has_names = self.words().flatten().any(|(_, word)| word.said.unknown);
        if has_names || self.may_be_excused() {
            return None;
        }
        let stops = self.words().enumerate().filter_map(|(at, found)| {
            let (location, word) = found?;
            let stop = word.said.stop.as_ref()?;
            Some((stop.letter.is_none(), failure(LocationId::new(at), stop, &location.letters)))
        });
        // Impossible events come before ends.
        let mut stops: Vec<(bool, Cause)> = stops.collect();
        stops.sort_by_key(|it| it.0);
        if !stops.is_empty() {
            let causes = stops.into_iter().map(|it| it.1).collect();
            return Some(Failure { causes, omitted: 0 });
        }
        let areas: Vec<_> = self.words().map(|found| found?.1.area.as_ref()).collect();
        let do_meet = self.monitor.runtime().do_areas_meet(self.observation(), &areas);
        (!do_meet).then(|| Failure::single(Cause::Inter(Frontier::default())))
    }

    fn observation(&self) -> Observation {
        self.monitor.bundle().observation
    }

    /// Whether events that are missing from the logs might make it pass.
    fn may_be_excused(&self) -> bool {
        let is_empty =
            |found: Option<(&Location, &Word)>| found.is_none_or(|(_, word)| word.said.length == 0);
        match self.gaps {
            Gaps::None => false,
            Gaps::Locations => self.words().any(is_empty),
            _ => true,
        }
    }
}
