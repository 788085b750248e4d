//! The module `multitrace._multitrace`: the library `multitrace` for Python, over Arrow. Conveniences of Python are
//! written in Python, in `python/multitrace/`.

// Whatever may take long runs on a thread of its own without the lock of the interpreter, while the
// calling thread looks for Ctrl-C (`waiting`).

mod bundle;
mod check_options;
mod comparing;
mod errors;
mod explaining;
mod learning;
mod lines;
mod local;
mod mappings;
mod merging;
mod online;
mod pieces;
mod report;
mod sessions_table;
mod source;
mod stream;
mod table;
mod traces;
mod waiting;
mod words;

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs the command line; the first argument is the name it was called by. Returns the exit code.
///
/// An interrupt ends the process as it ends the tool, so this is for scripts that are nothing else.
#[pyfunction]
fn run_command_line(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        multitrace_cli::end_on_interrupt();
        multitrace_cli::run(arguments)
    })
}

/// Writes a file that appears whole or not at all.
#[pyfunction]
fn write_whole(path: PathBuf, content: &[u8]) -> PyResult<()> {
    multitrace::WholeFile::write(&path, content).map_err(|error| errors::of_file(&path, &error))
}

/// A picture of the package as PNG, on white.
#[pyfunction]
fn png(py: Python<'_>, svg: &str) -> PyResult<Vec<u8>> {
    py.detach(|| multitrace_reports::pictures::png(svg)).map_err(|error| errors::unfit(py, error))
}

#[pymodule]
fn _multitrace(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(run_command_line, module)?)?;
    module.add_function(wrap_pyfunction!(bundle::compile_text, module)?)?;
    module.add_function(wrap_pyfunction!(bundle::open_path, module)?)?;
    module.add_function(wrap_pyfunction!(bundle::load_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(local::local, module)?)?;
    module.add_function(wrap_pyfunction!(merging::list_files, module)?)?;
    module.add_function(wrap_pyfunction!(merging::kept_files, module)?)?;
    module.add_function(wrap_pyfunction!(source::mapping_fields, module)?)?;
    module.add_function(wrap_pyfunction!(explaining::explain_code, module)?)?;
    module.add_function(wrap_pyfunction!(mappings::explain_mapping, module)?)?;
    module.add_function(wrap_pyfunction!(mappings::propose_mapping, module)?)?;
    module.add_function(wrap_pyfunction!(lines::value_text, module)?)?;
    module.add_function(wrap_pyfunction!(lines::is_too_deep, module)?)?;
    module.add_function(wrap_pyfunction!(write_whole, module)?)?;
    module.add_function(wrap_pyfunction!(png, module)?)?;
    module.add_function(wrap_pyfunction!(comparing::compare, module)?)?;
    module.add_function(wrap_pyfunction!(learning::learn, module)?)?;
    module.add_class::<bundle::Bundle>()?;
    module.add_class::<comparing::Comparison>()?;
    module.add_class::<learning::Learnt>()?;
    module.add_class::<lines::Lines>()?;
    module.add_class::<source::Source>()?;
    module.add_class::<report::Report>()?;
    module.add_class::<explaining::Explanation>()?;
    module.add_class::<merging::Merging>()?;
    module.add_class::<online::OnlineSession>()?;
    module.add_class::<pieces::Pieces>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<table::Table>()?;
    Ok(())
}
