//! JSON values of the preprocessor: `!$a = { "name": "John" }`, `$a.name`, `$a.list[0]`.

use super::value::Value;
use serde_json::Value as Json;

impl Value {
    /// The value that JSON stands for: texts and whole numbers are those of the preprocessor.
    pub(super) fn of_json(json: Json) -> Value {
        match json {
            Json::String(text) => Value::Text(text),
            Json::Number(number) => match number.as_i64() {
                Some(number) => Value::Number(number),
                None => Value::Text(number.to_string()),
            },
            other => Value::Json(other),
        }
    }

    /// The values of a list, or the names of an object, for `!foreach`.
    pub(super) fn elements(self) -> Option<Vec<Value>> {
        match self {
            Value::Json(Json::Array(values)) => {
                Some(values.into_iter().map(Value::of_json).collect())
            }
            Value::Json(Json::Object(fields)) => {
                Some(fields.into_iter().map(|(name, _)| Value::Text(name)).collect())
            }
            _ => None,
        }
    }

    /// A field of an object, or an element of a list by its index from 0.
    pub(super) fn part(&self, key: &Value) -> Option<Value> {
        let found = match self {
            Value::Json(Json::Object(fields)) => fields.get(&key.to_string()),
            Value::Json(Json::Array(values)) => {
                key.number().and_then(|at| values.get(usize::try_from(at).ok()?))
            }
            _ => None,
        };
        found.cloned().map(Value::of_json)
    }
}

/// The JSON value at the start of a text, and how long it is; `Ok(None)` if the text ends inside of it.
pub(super) fn read(text: &str) -> Result<Option<(Value, usize)>, String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    match values.next() {
        Some(Ok(json)) => Ok(Some((Value::of_json(json), values.byte_offset()))),
        Some(Err(error)) if !error.is_eof() => Err(format!("not JSON: {error}")),
        _ => Ok(None),
    }
}

/// A way into a JSON value at the start of a text, `.name` or `[key]`: the key, whether it stands in brackets,
/// and how long the way is.
pub(super) fn step(text: &str) -> Option<(&str, bool, usize)> {
    if let Some(rest) = text.strip_prefix('[') {
        let end = rest.find(']')?;
        return Some((&rest[..end], true, end + 2));
    }
    let rest = text.strip_prefix('.')?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    (end > 0).then(|| (&rest[..end], false, end + 1))
}

/// A function over JSON values; `None` if no function has this name.
pub(super) fn call(name: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    let first = arguments.first();
    let json =
        first.and_then(|value| if let Value::Json(json) = value { Some(json) } else { None });
    let key = arguments.get(1).map(Value::to_string).unwrap_or_default();
    let fields = || json.and_then(Json::as_object).ok_or("the argument is not a JSON object");
    let value = match name {
        "%get_json_keys" => fields().map(|fields| {
            Value::Json(fields.keys().map(|name| Json::String(name.clone())).collect())
        }),
        "%json_key_exists" => fields().map(|fields| Value::truth(fields.contains_key(&key))),
        "%get_json_type" => Ok(Value::Text(kind(first).to_owned())),
        "%str2json" => match read(&first.map(Value::to_string).unwrap_or_default()) {
            Ok(Some((value, _))) => Ok(value),
            Ok(None) => Err("the JSON text ends too early"),
            Err(error) => return Some(Err(error)),
        },
        "%splitstr" => Ok(Value::Json(
            first
                .map(Value::to_string)
                .unwrap_or_default()
                .split(&key)
                .filter(|part| !part.is_empty())
                .map(|part| Json::String(part.to_owned()))
                .collect(),
        )),
        _ => return None,
    };
    Some(value.map_err(str::to_owned))
}

fn kind(value: Option<&Value>) -> &'static str {
    match value {
        Some(Value::Number(_)) => "number",
        Some(Value::Json(Json::Array(_))) => "array",
        Some(Value::Json(Json::Object(_))) => "object",
        Some(Value::Json(Json::Bool(_))) => "boolean",
        Some(Value::Json(_)) => "null",
        Some(Value::Text(_)) | None => "string",
    }
}
