//! JSON that is safe to show: characters that change how the text around them is shown are escaped.
//!
//! JSON allows them in strings, but a terminal, an editor or a browser may let them end a line or turn the direction of
//! the text that follows.

use multitrace_formats::shorten::{changes_text, json_escape};
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};

/// Writes a value in one line, without its end.
///
/// # Errors
/// When `out` takes no more.
pub(crate) fn write_compact<T: Serialize + ?Sized>(out: impl Write, value: &T) -> io::Result<()> {
    write(out, value, CompactFormatter)
}

/// Writes a text as [`write_compact`] does. Most have no character that is escaped, and are copied at once.
pub(crate) fn write_text(out: &mut Vec<u8>, text: &str) {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if !text.as_bytes().iter().all(is_plain) {
        // A text can always be written, and a vector takes it.
        return write_compact(out, text).expect("a text");
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// Writes a value in lines, without the end of the last one.
///
/// # Errors
/// When `out` takes no more.
pub(crate) fn write_pretty<T: Serialize + ?Sized>(out: impl Write, value: &T) -> io::Result<()> {
    write(out, value, PrettyFormatter::new())
}

fn write<T: Serialize + ?Sized>(
    out: impl Write,
    value: &T,
    formatter: impl Formatter,
) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Escaping(formatter));
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// A formatter that escapes such characters.
struct Escaping<F>(F);

impl<F: Formatter> Escaping<F> {
    fn write_escaped<W: Write + ?Sized>(&mut self, out: &mut W, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some(at) = rest.find(changes_text) {
            let (before, after) = rest.split_at(at);
            self.0.write_string_fragment(out, before)?;
            let mut chars = after.chars();
            out.write_all(chars.next().map(json_escape).unwrap_or_default().as_bytes())?;
            rest = chars.as_str();
        }
        self.0.write_string_fragment(out, rest)
    }
}

/// Hands everything but fragments of strings to the formatter inside.
macro_rules! forward {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(fn $name<W: Write + ?Sized>(&mut self, out: &mut W $(, $argument: $kind)*) -> io::Result<()> {
            self.0.$name(out $(, $argument)*)
        })*
    };
}

impl<F: Formatter> Formatter for Escaping<F> {
    forward! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // Nearly all are such, and short, so that looking at all bytes is quicker than stopping early.
        if fragment.bytes().fold(true, |is_plain, byte| is_plain & (byte < 0x7f)) {
            return self.0.write_string_fragment(out, fragment);
        }
        self.write_escaped(out, fragment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn texts_are_read_as_they_were(text in any::<String>(), list in any::<Vec<u8>>()) {
            let value = serde_json::json!({ &text: { "list": list, "text": text, "none": [] } });
            let (mut compact, mut pretty) = (Vec::new(), Vec::new());
            write_compact(&mut compact, &value).expect("memory");
            write_pretty(&mut pretty, &value).expect("memory");
            for bytes in [compact, pretty] {
                let written = String::from_utf8(bytes).expect("text");
                prop_assert!(!written.contains(changes_text));
                prop_assert_eq!(&serde_json::from_str::<serde_json::Value>(&written)?, &value);
            }
        }
    }

    proptest! {
        #[test]
        fn texts_alone_are_written_as_values(text in any::<String>(), ascii in "[\\x00-\\x7f]{0,9}") {
            for text in [text, ascii] {
                let (mut quick, mut value) = (Vec::new(), Vec::new());
                write_text(&mut quick, &text);
                write_compact(&mut value, &text).expect("memory");
                prop_assert_eq!(quick, value);
            }
        }
    }

    #[test]
    fn the_form_is_that_of_serde_json() {
        let value = serde_json::json!({"a": [1, {"b": "x\u{202e}\u{2028}\u{85}\u{7f}é"}], "c": []});
        let mut pretty = Vec::new();
        write_pretty(&mut pretty, &value).expect("memory");
        let plain = serde_json::to_string_pretty(&value).expect("plain data");
        let escaped = plain
            .replace('\u{202e}', "\\u202e")
            .replace('\u{2028}', "\\u2028")
            .replace('\u{85}', "\\u0085")
            .replace('\u{7f}', "\\u007f");
        assert_eq!(String::from_utf8(pretty).expect("text"), escaped);
    }
}
