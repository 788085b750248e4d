//! The functions of PlantUML's preprocessor, `%upper("x")`.

use super::json;
use super::value::Value;

/// Functions of PlantUML that depend on the machine, on the day or on chance, or that change JSON.
const UNSUPPORTED: [&str; 20] = [
    "%date",
    "%now",
    "%filename",
    "%filenameroot",
    "%filedate",
    "%dirpath",
    "%getenv",
    "%version",
    "%file_exists",
    "%load_json",
    "%json_add",
    "%json_merge",
    "%json_remove",
    "%json_set",
    "%random",
    "%feature",
    "%splitstr_regex",
    "%get_all_theme",
    "%get_all_stdlib",
    "%get_current_theme",
];

/// Whether PlantUML has a function of this name that is not supported here.
pub(super) fn is_unsupported(name: &str) -> bool {
    UNSUPPORTED.contains(&name)
}

/// Functions that are supported, but that [`call`] does not know.
const OF_VARIABLES: [&str; 5] = [
    "%set_variable_value",
    "%get_variable_value",
    "%variable_exists",
    "%function_exists",
    "%call_user_func",
];

/// Whether a function of this name is supported.
pub(super) fn is_known(name: &str) -> bool {
    OF_VARIABLES.contains(&name) || call(name, &[]).is_some()
}

/// Calls a function; `None` if no function has this name.
pub(super) fn call(name: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    let first = arguments.first();
    let text = || first.map(Value::to_string).unwrap_or_default();
    if let Some(value) = json::call(name, arguments) {
        return Some(value);
    }
    let truths = || arguments.iter().map(Value::is_true);
    Some(Ok(match name {
        // Colours mean nothing, so that any will do.
        "%darken" | "%lighten" | "%reverse_color" | "%reverse_hsluv_color" => {
            Value::Text(format!("#{}", text().trim_start_matches('#')))
        }
        "%hsl_color" => Value::Text("#000000".to_owned()),
        "%is_dark" | "%is_light" => {
            return Some(
                is_dark(&text()).map(|is_dark| Value::truth(is_dark == (name == "%is_dark"))),
            );
        }
        "%and" => Value::truth(truths().all(|it| it)),
        "%nand" => Value::truth(!truths().all(|it| it)),
        "%or" => Value::truth(truths().any(|it| it)),
        "%nor" => Value::truth(!truths().any(|it| it)),
        "%xor" => Value::truth(truths().filter(|it| *it).count() == 1),
        "%xnor" => Value::truth(truths().filter(|it| *it).count() != 1),
        "%mod" | "%modulo" => return Some(remainder(arguments)),
        "%newline" | "%n" | "%breakline" => Value::Text("\\n".to_owned()),
        "%tab" => Value::Text("\\t".to_owned()),
        "%true" => Value::truth(true),
        "%false" => Value::truth(false),
        "%not" => Value::truth(!first.is_some_and(Value::is_true)),
        "%boolval" => Value::truth(first.is_some_and(Value::is_true)),
        "%upper" => Value::Text(text().to_uppercase()),
        "%lower" => Value::Text(text().to_lowercase()),
        "%string" => Value::Text(text()),
        "%size" if matches!(first, Some(Value::Json(_))) => {
            let elements = first.cloned().and_then(Value::elements).unwrap_or_default();
            Value::Number(count(elements.len()))
        }
        "%strlen" | "%size" => Value::Number(count(text().chars().count())),
        "%strpos" => position(&text(), arguments.get(1)),
        "%substr" => return Some(substring(&text(), arguments)),
        "%intval" => {
            return Some(first.and_then(Value::number).map(Value::Number).ok_or_else(not_a_number));
        }
        "%chr" => return Some(character(first)),
        "%dec2hex" => return Some(first.and_then(Value::number).map(hex).ok_or_else(not_a_number)),
        "%hex2dec" => {
            return Some(
                i64::from_str_radix(&text(), 16).map(Value::Number).map_err(|_| not_a_number()),
            );
        }
        _ => return None,
    }))
}

/// Whether a colour is dark: the sum of its three parts is less than half of the largest possible sum.
fn is_dark(colour: &str) -> Result<bool, String> {
    let digits = colour.trim_start_matches('#');
    let parts = (digits.len() == 6 && digits.is_ascii())
        .then(|| [0, 2, 4].map(|at| u32::from_str_radix(&digits[at..at + 2], 16).ok()));
    let parts: Option<Vec<u32>> = parts.and_then(|parts| parts.into_iter().collect());
    let sum = parts.map(|parts| parts.into_iter().sum::<u32>());
    sum.map(|sum| sum < 383)
        .ok_or_else(|| "only colours as `#rrggbb` are known to be dark".to_owned())
}

fn remainder(arguments: &[Value]) -> Result<Value, String> {
    let number = |at: usize| arguments.get(at).and_then(Value::number).ok_or_else(not_a_number);
    let (left, right) = (number(0)?, number(1)?);
    left.checked_rem(right).map(Value::Number).ok_or_else(|| format!("no remainder by {right}"))
}

fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn hex(number: i64) -> Value {
    Value::Text(format!("{number:x}"))
}

fn not_a_number() -> String {
    "the argument is not a number".to_owned()
}

fn character(code: Option<&Value>) -> Result<Value, String> {
    let code = code.and_then(Value::number).and_then(|code| u32::try_from(code).ok());
    let found = code.and_then(char::from_u32).filter(|c| !c.is_control());
    match (code, found) {
        (Some(10), _) => Ok(Value::Text("\\n".to_owned())),
        (_, Some(found)) => Ok(Value::Text(found.to_string())),
        _ => Err("the argument is not the number of a character".to_owned()),
    }
}

/// Where a text occurs in another, in characters, or -1.
fn position(text: &str, searched: Option<&Value>) -> Value {
    let searched = searched.map(Value::to_string).unwrap_or_default();
    let found = text.find(&searched).map(|at| count(text[..at].chars().count()));
    Value::Number(found.unwrap_or(-1))
}

fn substring(text: &str, arguments: &[Value]) -> Result<Value, String> {
    let number = |index: usize, default: usize| match arguments.get(index) {
        None => Ok(default),
        Some(value) => {
            value.number().map(|n| usize::try_from(n).unwrap_or(0)).ok_or_else(not_a_number)
        }
    };
    let (start, length) = (number(1, 0)?, number(2, usize::MAX)?);
    Ok(Value::Text(text.chars().skip(start).take(length).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str, arguments: &[Value]) -> String {
        match call(name, arguments) {
            None => "no such function".to_owned(),
            Some(Ok(value)) => value.to_string(),
            Some(Err(error)) => error,
        }
    }

    #[test]
    fn functions() {
        let text = Value::Text("aBc".to_owned());
        assert_eq!(value("%upper", std::slice::from_ref(&text)), "ABC");
        assert_eq!(value("%lower", std::slice::from_ref(&text)), "abc");
        assert_eq!(value("%strlen", std::slice::from_ref(&text)), "3");
        assert_eq!(value("%strpos", &[text.clone(), Value::Text("c".to_owned())]), "2");
        assert_eq!(value("%substr", &[text.clone(), Value::Number(1), Value::Number(1)]), "B");
        assert_eq!(value("%chr", &[Value::Number(0x221E)]), "∞");
        assert_eq!(
            value("%chr", &[Value::Number(-1)]),
            "the argument is not the number of a character"
        );
        assert_eq!(value("%intval", &[text]), "the argument is not a number");
        assert_eq!(value("%newline", &[]), "\\n");
        assert_eq!(value("%not", &[Value::Number(1)]), "0");
        assert_eq!(value("%nope", &[]), "no such function");
        assert!(is_unsupported("%date"));
    }
}
