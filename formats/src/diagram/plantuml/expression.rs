//! Expressions of the preprocessor: strings, whole numbers, operators and calls.

use super::json;
use super::value::Value;

/// The most parentheses and calls inside each other.
pub(super) const MAX_NESTING: usize = 100;

/// The values of the names in an expression.
pub(super) trait Names {
    /// The value of a variable.
    ///
    /// # Errors
    /// The value does not fit into the memory that is left.
    fn variable(&mut self, name: &str) -> Result<Option<Value>, String>;
    /// Takes the memory for a value.
    ///
    /// # Errors
    /// The value does not fit into the memory that is left.
    fn take_bytes(&mut self, bytes: usize) -> Result<(), String>;
    /// Calls a function; `None` if there is no such function.
    fn call(&mut self, name: &str, arguments: &[&str]) -> Result<Option<Value>, String>;
    /// How many parentheses and calls are open.
    fn depth(&mut self) -> &mut usize;
}

/// The value of an expression, or why it has no value.
pub(super) fn evaluate(text: &str, names: &mut dyn Names) -> Result<Value, String> {
    let mut parser = Parser { rest: text.trim(), names };
    if parser.rest.is_empty() {
        return Err("an expression is missing".to_owned());
    }
    let before = *parser.names.depth();
    let value = parser.binary(0);
    *parser.names.depth() = before;
    match value {
        Ok(_) if !parser.rest.is_empty() => Err("the expression goes on after its end".to_owned()),
        value => value,
    }
}

/// The binary operators, from those that bind least.
const LEVELS: [&[&str]; 5] =
    [&["||"], &["&&"], &["==", "!=", "<=", ">=", "<", ">"], &["+", "-"], &["*", "/"]];

struct Parser<'a, 'n> {
    rest: &'a str,
    names: &'n mut dyn Names,
}

impl<'a> Parser<'a, '_> {
    fn binary(&mut self, level: usize) -> Result<Value, String> {
        let Some(operators) = LEVELS.get(level) else { return self.primary() };
        let mut left = self.binary(level + 1)?;
        loop {
            self.rest = self.rest.trim_start();
            let Some(operator) = operators.iter().find(|op| self.rest.starts_with(**op)) else {
                return Ok(left);
            };
            self.rest = &self.rest[operator.len()..];
            let right = self.binary(level + 1)?;
            if *operator == "+" {
                self.names.take_bytes(left.bytes().saturating_add(right.bytes()))?;
            }
            left = apply(operator, &left, &right)?;
        }
    }

    fn primary(&mut self) -> Result<Value, String> {
        self.rest = self.rest.trim_start();
        let Some(first) = self.rest.chars().next() else {
            return Err("the expression ends too early".to_owned());
        };
        match first {
            '(' => self.parenthesised(),
            '"' | '\'' => self.quoted(first),
            '-' => {
                self.rest = &self.rest[1..];
                apply("-", &Value::Number(0), &self.primary_deeper()?)
            }
            '{' | '[' => self.json(),
            _ => self.word(),
        }
    }

    fn primary_deeper(&mut self) -> Result<Value, String> {
        self.deeper()?;
        let value = self.primary();
        *self.names.depth() -= 1;
        value
    }

    fn deeper(&mut self) -> Result<(), String> {
        *self.names.depth() += 1;
        if *self.names.depth() > MAX_NESTING {
            return Err(format!("an expression nested deeper than {MAX_NESTING} levels"));
        }
        Ok(())
    }

    fn parenthesised(&mut self) -> Result<Value, String> {
        self.deeper()?;
        self.rest = &self.rest[1..];
        let value = self.binary(0)?;
        *self.names.depth() -= 1;
        self.rest = self.rest.trim_start();
        self.rest = self.rest.strip_prefix(')').ok_or("a `)` is missing")?;
        Ok(value)
    }

    fn quoted(&mut self, quote: char) -> Result<Value, String> {
        let inner = &self.rest[1..];
        let end = inner.find(quote).ok_or("a text that is not closed")?;
        self.rest = &inner[end + 1..];
        Ok(Value::Text(inner[..end].to_owned()))
    }

    fn json(&mut self) -> Result<Value, String> {
        let (value, end) = json::read(self.rest)?.ok_or("the JSON value ends too early")?;
        self.names.take_bytes(end)?;
        self.rest = &self.rest[end..];
        Ok(value)
    }

    /// A variable that holds JSON, and the way into it.
    fn part(&mut self) -> Result<Option<Value>, String> {
        let end = self.rest.find(['.', '[']).unwrap_or(0);
        let (name, after) = self.rest.split_at(end);
        if name.is_empty() || !name.starts_with('$') {
            return Ok(None);
        }
        let Some(mut value @ Value::Json(_)) = self.names.variable(name)? else { return Ok(None) };
        self.rest = after;
        while let (Value::Json(_), Some((key, is_in_brackets, length))) =
            (&value, json::step(self.rest))
        {
            let after = &self.rest[length..];
            let key = match is_in_brackets {
                true => self.inside(key)?,
                false => Value::Text(key.to_owned()),
            };
            value = value.part(&key).ok_or_else(|| format!("there is no `{key}` in it"))?;
            self.rest = after;
        }
        Ok(Some(value))
    }

    /// The value of an expression in brackets.
    fn inside(&mut self, text: &'a str) -> Result<Value, String> {
        self.rest = text;
        self.deeper()?;
        let value = self.binary(0)?;
        *self.names.depth() -= 1;
        match self.rest.trim().is_empty() {
            true => Ok(value),
            false => Err("the expression goes on after its end".to_owned()),
        }
    }

    /// A number, a variable, a call, or a text without quotes.
    fn word(&mut self) -> Result<Value, String> {
        if let Some(value) = self.part()? {
            return Ok(value);
        }
        let ends = |c: char| c.is_whitespace() || "()+*/<>=!&|,\"'-".contains(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(format!(
                "`{}` is not expected here",
                self.rest.chars().next().unwrap_or(' ')
            ));
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if rest.starts_with('(') {
            return self.call(word);
        }
        if let Ok(number) = word.parse() {
            return Ok(Value::Number(number));
        }
        Ok(self.names.variable(word)?.unwrap_or_else(|| Value::Text(word.to_owned())))
    }

    fn call(&mut self, name: &'a str) -> Result<Value, String> {
        let (arguments, end) = arguments(self.rest).ok_or("a `)` is missing")?;
        self.rest = &self.rest[end..];
        let value = self.names.call(name, &arguments)?;
        value.ok_or_else(|| format!("there is no function `{name}`"))
    }
}

fn apply(operator: &str, left: &Value, right: &Value) -> Result<Value, String> {
    if let (Value::Number(left), Value::Number(right)) = (left, right) {
        return calculate(operator, *left, *right);
    }
    let (a, b) = (left.to_string(), right.to_string());
    Ok(match operator {
        "+" => Value::Text(a + &b),
        "==" => Value::truth(a == b),
        "!=" => Value::truth(a != b),
        "<" => Value::truth(a < b),
        "<=" => Value::truth(a <= b),
        ">" => Value::truth(a > b),
        ">=" => Value::truth(a >= b),
        "&&" => Value::truth(left.is_true() && right.is_true()),
        "||" => Value::truth(left.is_true() || right.is_true()),
        _ => return Err(format!("`{operator}` needs two numbers")),
    })
}

fn calculate(operator: &str, left: i64, right: i64) -> Result<Value, String> {
    let number = match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "==" => Some(i64::from(left == right)),
        "!=" => Some(i64::from(left != right)),
        "<" => Some(i64::from(left < right)),
        "<=" => Some(i64::from(left <= right)),
        ">" => Some(i64::from(left > right)),
        ">=" => Some(i64::from(left >= right)),
        "&&" => Some(i64::from(left != 0 && right != 0)),
        _ => Some(i64::from(left != 0 || right != 0)),
    };
    number.map(Value::Number).ok_or_else(|| format!("`{left} {operator} {right}` has no value"))
}

/// The arguments of a call, and where it ends. The text starts with the opening parenthesis.
pub(super) fn arguments(text: &str) -> Option<(Vec<&str>, usize)> {
    let (mut depth, mut quote, mut start) = (0usize, None, 1);
    let mut arguments = Vec::new();
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, ',') if depth == 1 => {
                arguments.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        if depth == 0 {
            let last = &text[start..at];
            if !arguments.is_empty() || !last.trim().is_empty() {
                arguments.push(last);
            }
            return Some((arguments, at + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Sample(usize);

    impl Names for Sample {
        fn variable(&mut self, name: &str) -> Result<Option<Value>, String> {
            Ok((name == "$x").then(|| Value::Text("ab".to_owned())))
        }

        fn take_bytes(&mut self, _: usize) -> Result<(), String> {
            Ok(())
        }

        fn call(&mut self, name: &str, arguments: &[&str]) -> Result<Option<Value>, String> {
            let count = Value::Text(arguments.len().to_string());
            Ok((name == "%count").then_some(count))
        }

        fn depth(&mut self) -> &mut usize {
            &mut self.0
        }
    }

    fn value(text: &str) -> Result<String, String> {
        evaluate(text, &mut Sample::default()).map(|value| value.to_string())
    }

    #[test]
    fn values() {
        for (text, expected) in [
            ("33+2*(4+1)", "43"),
            ("7/2", "3"),
            ("1 - 3", "-2"),
            ("-2 * 3", "-6"),
            ("\"a\" + 1 + 'b'", "a1b"),
            ("$x + \"c\"", "abc"),
            ("$x == ab", "1"),
            ("$x != \"ab\" || 1 < 2", "1"),
            ("(1 == 1) && (2 == 3)", "0"),
            ("true", "true"),
            ("%count(1, \"a,b\", (2,3))", "3"),
            ("%count()", "0"),
            ("{\"a\": [1, true]}", "{\"a\":[1,true]}"),
            ("[1, 2] == \"[1,2]\"", "1"),
        ] {
            assert_eq!(value(text), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn errors() {
        for text in ["", "1 +", "(1", "\"a", "1/0", "1 2", "f(1)", "{\"a\": ", "{a}", "\"a\" * 2"] {
            assert!(value(text).is_err(), "{text}");
        }
        assert!(value(&"(".repeat(100_000)).is_err());
        assert!(value(&"-".repeat(100_000)).is_err());
    }
}
