//! Values of the preprocessor.

use std::fmt;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A whole number; also the truth: 1 or 0.
    Number(i64),
    /// A text.
    Text(String),
    /// A list, an object, `true`, `false` or `null` of JSON.
    Json(serde_json::Value),
}

impl Value {
    /// The value of a truth.
    pub(super) fn truth(truth: bool) -> Value {
        Value::Number(i64::from(truth))
    }

    /// Whether a condition holds: a number other than 0, or a text that is not empty.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Value::Number(number) => *number != 0,
            Value::Text(text) => !text.is_empty(),
            Value::Json(json) => {
                !matches!(json, serde_json::Value::Bool(false) | serde_json::Value::Null)
            }
        }
    }

    /// How many bytes it is written with, at most.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Value::Number(_) => i64::MIN.to_string().len(),
            Value::Text(text) => text.len(),
            Value::Json(json) => json.to_string().len(),
        }
    }

    /// The number; `None` for a text that does not read as a number.
    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(text) => text.trim().parse().ok(),
            Value::Json(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => f.write_str(text),
            Value::Json(json) => write!(f, "{json}"),
        }
    }
}
