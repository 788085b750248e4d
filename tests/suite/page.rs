//! The page of a run, `--output-format html`, in a browser: Chromium without a window. Tests skip, saying so,
//! where it is missing.

use crate::common::run::multitrace_in;
use multitrace::{Detail, Inputs, OutputFormat, RunOptions, Spec, SpecFormat};
use std::io::{BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Each example: its specification, then the inputs of its check.
const EXAMPLES: [&str; 21] = [
    "broker/connection.hif broker/broker.log broker/clients.log --events=broker/connection.toml",
    "cache/cache.hif cache/sessions.jsonl --locations=api,cache",
    "checkout/SPEC.md checkout/sessions.jsonl",
    "hdfs/write.hif hdfs/hdfs.log --events=hdfs/write.toml",
    "lock/lock.hif lock/lockd.log --events=lock/lock.toml",
    "mqtt/mqtt.hif mqtt/sessions.jsonl",
    "observation/order.hif observation/sessions.jsonl",
    "openstack/boot.hif openstack/nova.log --events=openstack/boot.toml",
    "pubsub/pubsub.hif pubsub/sessions.jsonl",
    "raft/election.hif raft/events.jsonl --events=raft/election.toml",
    "raft/heartbeats.hif raft/events.jsonl --events=raft/heartbeats.toml",
    "shiviz/broadcast.hif shiviz/relay.log --events=shiviz/broadcast.toml",
    "shop/shop.hif shop/spans.csv --events=shop/shop.toml",
    "sip/call.hif sip/capture.txt --events=sip/call.toml",
    "spans/checkout.hif spans/spans.json --events=spans/checkout.toml",
    "tls/tls.hif tls/messages.jsonl --events=tls/tls.toml",
    "two-phase-commit/two-phase-commit.hif two-phase-commit/sessions.jsonl",
    "xes/claims.hif xes/claims.xes --events=xes/claims.toml",
    "zipkin/location-update.hif zipkin/location-update.json --events=zipkin/zipkin.toml",
    "zipkin/queue.hif zipkin/queue.json --events=zipkin/zipkin.toml",
    "zipkin/topics.hif zipkin/topics.json --events=zipkin/zipkin.toml",
];

/// Collects errors while a page opens: those of scripts, refusals of its policy, and alerts.
const WATCH: &str = "<script>var wrong = [];
addEventListener('error', (it) => wrong.push('error ' + it.message));
addEventListener('unhandledrejection', (it) => wrong.push('rejection ' + it.reason));
addEventListener('securitypolicyviolation', (it) => wrong.push('policy ' + it.blockedURI));
window.alert = () => wrong.push('alert');
</script>";

/// The browser, if it is there.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        eprintln!("skipped: there is no Chromium (Debian's package chromium)");
    }
    found
}

/// A page as it is after it was opened, with a profile in a folder of its own.
fn opened(browser: &str, file: &Path, folder: &Path, options: &[&str]) -> String {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args(options)
        .arg("--dump-dom")
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("the browser runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A page whose policy lets a test put scripts into it: its own is allowed by its hash alone.
fn scriptable(page: &str) -> String {
    let (before, rest) = page.split_once("script-src '").expect("a policy");
    let (hash, after) = rest.split_once('\'').expect("its end");
    assert!(hash.starts_with("sha256-"), "{hash}");
    format!("{before}script-src 'unsafe-inline'{after}")
}

/// The text that a script in a page writes into `document.body.dataset.result`, after its promises are settled.
fn run_script(browser: &str, page: &str, script: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("page.html");
    let script = format!(
        "<script>(async () => {{ let result; try {{ result = await (async () => {{ {script} }})(); }} \
         catch (it) {{ result = 'failed: ' + it; }} \
         const loaded = performance.getEntriesByType('resource').map((it) => 'request ' + it.name); \
         document.body.textContent = ''; \
         document.body.dataset.result = JSON.stringify([result, [...wrong, ...loaded]]); }})();</script>"
    );
    let page = scriptable(page).replacen("<head>", &format!("<head>{WATCH}"), 1);
    let page = page.replacen("</body>", &format!("{script}</body>"), 1);
    std::fs::write(&file, page).expect("written");
    let dom = opened(browser, &file, folder.path(), &["--virtual-time-budget=20000"]);
    let start = dom.find("data-result=\"").expect("the script ended") + "data-result=\"".len();
    let text = &dom[start..start + dom[start..].find('"').expect("an end")];
    let text = text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
    let text = text.replace("&amp;", "&");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value[1], serde_json::json!([]), "the page did what it must not");
    value[0].to_string()
}

fn page_of(words: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("report.html");
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    let words: Vec<String> = words.split(' ').map(|it| it.replace('=', " ")).collect();
    let words: Vec<&str> = words.iter().flat_map(|it| it.split(' ')).collect();
    let out = file.to_str().expect("a plain path");
    let html = ["--output-format", "html", "--output-file", out];
    let options = ["--coverage", "--stats"];
    let run =
        multitrace_in(Some(&examples), &[&["check"], &words[..], &options, &html].concat(), &[]);
    assert!(run.code == 1 && run.err.lines().all(|it| it.starts_with("note: ")), "{}", run.err);
    std::fs::read_to_string(&file).expect("the page")
}

#[test]
fn the_page_of_every_example_opens_without_errors_or_requests() {
    let Some(browser) = browser() else { return };
    for example in EXAMPLES {
        let page = page_of(example);
        let shown = "const found = document.querySelectorAll('.finding').length;
            const drawn = document.querySelectorAll('.finding .picture svg text').length;
            const spec = document.querySelectorAll('#diagram ~ .picture svg').length;
            document.getElementById('open').click();
            const open = document.querySelectorAll('.finding[open]').length;
            return found > 0 && drawn > 3 && open === found && spec === 1
                && document.querySelectorAll('.histogram').length === 2;";
        assert_eq!(run_script(browser, &page, shown), "true", "{example}");
    }
}

#[test]
fn findings_can_be_searched_and_filtered() {
    let Some(browser) = browser() else { return };
    let page = page_of(EXAMPLES[5]);
    let script = "
        const search = document.getElementById('search');
        const shown = () => [...document.querySelectorAll('.finding:not([hidden])')].map((it) => it.dataset.code);
        const type = async (text) => {
            search.value = text;
            search.dispatchEvent(new Event('input', { bubbles: true }));
            await new Promise((done) => setTimeout(done, 50));
            return shown().length;
        };
        const all = shown().length;
        const restart = await type('RESTART broker');
        const none = await type('no such thing');
        const told = !document.getElementById('none').hidden;
        search.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
        await new Promise((done) => setTimeout(done, 50));
        const again = shown().length;
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }));
        const focused = document.activeElement === search;
        const select = document.querySelector('[data-filter=code]');
        select.value = 'MT113';
        select.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise((done) => setTimeout(done, 50));
        const codes = [...new Set(shown())];
        return [all, restart, none, told, again === all, focused, codes];";
    assert_eq!(run_script(browser, &page, script), "[5,1,0,true,true,true,[\"MT113\"]]");
}

/// Sessions of a specification with one message more in each, under a name that would do harm if it were
/// more than text.
struct Sessions {
    next: usize,
    count: usize,
    kinds: usize,
    line: Vec<u8>,
    read: usize,
}

const HOSTILE: &str =
    "<img src=x onerror=alert(1)></script><script>alert(2)</script>&quot;'`${alert(3)}";

impl Read for Sessions {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.read == self.line.len() {
            if self.next == self.count {
                return Ok(0);
            }
            let event = serde_json::Value::from(format!("a!{HOSTILE}{}", self.next % self.kinds));
            let id = serde_json::Value::from(format!("s{}{HOSTILE}", self.next));
            self.line = format!(
                "{{\"session\":{id},\"traces\":{{\"a\":[\"a!m\",{event}],\"b\":[\"b?m\"]}}}}\n"
            )
            .into_bytes();
            self.next += 1;
            self.read = 0;
        }
        let count = buffer.len().min(self.line.len() - self.read);
        buffer[..count].copy_from_slice(&self.line[self.read..][..count]);
        self.read += count;
        Ok(count)
    }
}

/// The page of many sessions of 1,000 kinds.
fn hostile_page(sessions: usize) -> String {
    page_of_lines(
        Sessions { next: 0, count: sessions, kinds: 1000, line: Vec::new(), read: 0 },
        sessions,
    )
}

/// The page of sessions, as many as these, that all fail.
fn page_of_lines(lines: impl Read + Send + 'static, sessions: usize) -> String {
    let spec = Spec::parse(HOSTILE, "a -- m -> b", SpecFormat::Hif);
    let monitor =
        spec.compile(&multitrace::CompileOptions::default()).expect("it compiles").monitor;
    let detail = Detail::of([OutputFormat::Html]);
    let options = RunOptions { detail, ..RunOptions::new(&monitor) };
    let report = monitor
        .run(Inputs::reader("memory", BufReader::new(lines)), options, &mut ())
        .expect("it runs");
    assert_eq!(report.summary().fail, sessions as u64);
    let mut page = Vec::new();
    report.write(OutputFormat::Html, &mut page).expect("memory takes it");
    String::from_utf8(page).expect("text")
}

#[test]
fn a_hostile_name_stays_text() {
    let page = hostile_page(1000);
    assert!(!page.contains("<img"), "markup from a log");
    let Some(browser) = browser() else { return };
    let script = "
        const search = document.getElementById('search');
        search.value = 'onerror=alert(1)';
        search.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise((done) => setTimeout(done, 2000));
        const shown = document.querySelectorAll('.finding:not([hidden])').length;
        const bodies = [...document.querySelectorAll('.finding .body')];
        const filled = bodies.filter((it) => it.querySelector('.picture svg')).length;
        const elements = document.querySelectorAll('img, iframe, object, .finding script').length;
        return [shown, filled, elements];";
    assert_eq!(run_script(browser, &page, script), "[1000,1000,0]");
}

/// Even where markup got into a page, as by a part that is forged: its own script runs, and no other.
#[test]
fn a_page_runs_its_own_script_and_no_other() {
    let page = hostile_page(10);
    let Some(browser) = browser() else { return };
    let forged = "<base href=\"https://example.org/\"><script>document.body.dataset.forged = 1;</script>
        <img src=x onerror=\"document.body.dataset.forged = 2\">
        <svg onload=\"document.body.dataset.forged = 3\"><script>document.body.dataset.forged = 4;</script></svg>
        <a id=\"go\" href=\"javascript:document.body.dataset.forged = 5\">go</a>
        <iframe srcdoc=\"<script>parent.document.body.dataset.forged = 6;</script>\"></iframe>
        <form id=\"send\" action=\"https://example.org/\"></form>";
    let elsewhere = TcpListener::bind("127.0.0.1:0").expect("a port");
    elsewhere.set_nonblocking(true).expect("it can");
    let address = elsewhere.local_addr().expect("an address");
    let away = format!("<meta http-equiv=\"Refresh\" content=\"0;url=http://{address}/\">");
    let page = page.replacen("<main>", &format!("<main>{forged}{away}"), 1);
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("page.html");
    std::fs::write(&file, &page).expect("written");
    let limits = ["--virtual-time-budget=5000", "--timeout=20000"];
    let dom = opened(browser, &file, folder.path(), &limits);
    assert!(!dom.contains("data-forged"), "a script of others ran");
    assert!(elsewhere.accept().is_err(), "the page led elsewhere");
    // The script of the page shows the filters.
    let is_hidden = |page: &str| {
        let tag = &page[page.find("<form class=\"filters\"").expect("the filters")..];
        tag[..tag.find('>').expect("an end")].contains("hidden")
    };
    assert!(is_hidden(&page) && !is_hidden(&dom), "its own script did not run");
}

/// A page of very many sessions in 1,000 groups is small, and open within two seconds. Beyond its groups a page holds
/// counts, so that 100,000 sessions are enough; `MULTITRACE_FULL=1` takes a million.
#[test]
fn the_page_of_very_many_sessions_is_small_and_opens_soon() {
    let page = hostile_page(if multitrace_testing::corpus::full() { 1_000_000 } else { 100_000 });
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert_eq!(page.matches("<details").count(), 1000);
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("page.html");
    let note = "<script>addEventListener('load', () => {
        document.body.dataset.milliseconds = Math.round(performance.now()); });</script></body>";
    std::fs::write(&file, scriptable(&page).replacen("</body>", note, 1)).expect("written");
    let milliseconds = opening(browser, &file, folder.path());
    assert!(milliseconds < 2000, "{} bytes took {milliseconds} ms", page.len());
}

/// Names of hundreds of letters, which no packer makes short, are cut until 1,000 groups have room.
#[test]
fn the_page_of_the_longest_names_is_small() {
    let name = |session: u32, event: u32| -> String {
        let letter = |at: u32| {
            let mixed = (session * 7 + event + 1).wrapping_mul(2_654_435_761).rotate_left(at % 32);
            char::from_u32(0x4e00 + (mixed ^ (at * 40_503)) % 0x5000).expect("a letter")
        };
        (0..300).map(letter).collect()
    };
    let line = |session: u32| {
        let events = |sign: &str| -> Vec<String> {
            (0..6).map(|event| format!("{sign}{}", name(session, event))).collect()
        };
        let traces = serde_json::json!({"a": events("a!"), "b": events("b?")});
        serde_json::json!({"session": name(session, 6), "traces": traces}).to_string() + "\n"
    };
    let lines: String = (0..1000).map(line).collect();
    let page = page_of_lines(std::io::Cursor::new(lines), 1000);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert_eq!(page.matches("<details").count(), 1000);
}

/// How long a page takes to open, by its own clock.
fn opening(browser: &str, file: &Path, folder: &Path) -> u64 {
    let dom = opened(browser, file, folder, &[]);
    let (_, rest) = dom.split_once("data-milliseconds=\"").expect("the page was loaded");
    rest.split_once('"').and_then(|(number, _)| number.parse().ok()).expect("a number")
}
