use crate::diagram::model::Statement;
use crate::diagram::plantuml::parse;

/// The texts of the messages, or the errors with their lines.
fn texts(text: &str) -> Vec<String> {
    match parse(text, 0..text.len(), &|name| Ok(format!("A -> B : from {name}\n"))) {
        Ok(diagram) => diagram
            .body
            .iter()
            .filter_map(|statement| match statement {
                Statement::Message(message) => Some(message.text.clone()),
                _ => None,
            })
            .collect(),
        Err(error) => {
            let error = error.of(crate::source::Source::new("", text));
            error.lines().collect()
        }
    }
}

#[test]
fn variables() {
    assert_eq!(texts("!$x = \"v\"\nA -> B : $x $xy $x, a$x \\n$x"), ["v $xy v, a$x\nv"]);
    assert_eq!(texts("!TEST=something\nA -> B : TEST:\\nTEST"), ["something:\nsomething"]);
    assert_eq!(texts("!$x = 7/2\n!$x = $x + 1\nA -> B : $x"), ["4"]);
    assert_eq!(texts("!$x ?= 1\n!$x ?= 2\nA -> B : $x"), ["1"]);
    assert_eq!(texts("%set_variable_value(\"$a\"+\"b\", \"42\")\nA -> B : $ab"), ["42"]);
}

#[test]
fn definitions() {
    assert_eq!(texts("!define FOO bar\n!define BAZ FOO\nA -> B : FOO BAZ xFOO"), ["bar bar xFOO"]);
    assert_eq!(texts("!define F(a,b) a##b and a\nA -> B : F(1,\"2 3\")"), ["12 3 and 1"]);
    assert_eq!(texts("!define F x\n!undef F\nA -> B : F"), ["F"]);
    let long = "!definelong m(x)\nA -> B : x\nB -> A : x\n!enddefinelong\nm(hi)";
    assert_eq!(texts(long), ["hi", "hi"]);
}

#[test]
fn conditions() {
    let choose = |condition: &str| {
        texts(&format!(
            "!$x = true\n!define D\n{condition}\nA -> B : yes\n!else\nA -> B : no\n!endif"
        ))
    };
    for condition in ["!if ($x == true)", "!ifdef D", "!ifndef E", "!if %not(0)", "!ifdef D && !E"]
    {
        assert_eq!(choose(condition), ["yes"], "{condition}");
    }
    for condition in ["!if ($x != true)", "!ifdef E", "!if 0", "!if (1 == 1) && (2 == 3)"] {
        assert_eq!(choose(condition), ["no"], "{condition}");
    }
    let chain = "!$i = 2\n!if $i == 1\nA->B:1\n!elseif $i == 2\n!if 0\nA->B:0\n!endif\nA->B:2\n!elseif 1\n\
                 A->B:3\n!else\nA->B:4\n!endif\nA->B:5";
    assert_eq!(texts(chain), ["2", "5"]);
}

#[test]
fn loops() {
    let text = "!$i = 0\n!while $i < 3\nA -> B : m $i\n!$i = $i + 1\n!endwhile\nA -> B";
    assert_eq!(texts(text), ["m 0", "m 1", "m 2", ""]);
}

#[test]
fn functions_and_procedures() {
    let text = "!function $inc($value, $step=1)\n!return $value + 2*$step\n!endfunction\n\
                !function id($a) return $a\n!unquoted function u($a)\n!return $a + \"!\"\n!endfunction\n\
                !procedure msg($a, $t)\n$a -> B : $t\n!endprocedure\n\
                A -> B : $inc($inc(30, 2),100) $inc(1) id(2*(3+4)) u(a b)\n  msg(\"X\", id(\"y\"))";
    assert_eq!(texts(text), ["234 3 14 a b!", "y"]);
    assert_eq!(texts("A -> B : %upper(\"x\")%newline()y %nope(1)"), ["X\ny %nope(1)"]);
    let named =
        "!function $f($a, $b)\n!return $a + $b\n!endfunction\nA -> B : $f($b=\"1\", $a=\"2\")";
    assert_eq!(texts(named), ["21"]);
    let by_name = "!function f($a) return \"<b>\" + $a\nA -> B : %call_user_func(\"f\", \"x\")";
    assert_eq!(texts(by_name), ["x"]);
}

#[test]
fn other_statements() {
    assert_eq!(texts("A -> B : 1\n!exit\nA -> B : 2"), ["1"]);
    assert_eq!(texts("!startsub X\nA -> B : 1\n!endsub\n!pragma teoz true"), ["1"]);
    assert_eq!(texts("!include a.puml\n!include_once a.puml\nA -> B"), ["from a.puml", ""]);
    assert_eq!(texts("footer %date()\nA -> B : x"), ["x"]);
}

#[test]
fn errors() {
    for (text, expected) in [
        ("!import x", ":1:1: `!import` of the preprocessor is not supported"),
        ("!if 1\nA -> B", ":1:1: a block of the preprocessor that is not closed"),
        ("A -> B\n!endif", ":2:1: `!endif` without a block that it belongs to"),
        (
            "!$x = {\"a\": 1}\n!$y = $x.b\nA->B",
            ":2:1: the expression ` $x.b` has no value: there is no `b` in it",
        ),
        (
            "!$x = {a}\nA->B",
            ":1:1: the expression ` {a}` has no value: not JSON: key must be a string at line 1 column 2",
        ),
        (
            "!foreach $x in 3\n!endfor\nA->B",
            ":1:1: `!foreach` goes through a list or an object of JSON",
        ),
        ("!foreach $x in [1]\nA -> B", ":1:1: a block of the preprocessor that is not closed"),
        ("A -> B\n!endfor", ":2:1: `!endfor` without a block that it belongs to"),
        ("A -> B : %date()", ":1:1: the function `%date` is not supported"),
        ("!return 1\nA->B", ":1:1: `!return` outside of a function"),
        ("!function f($a) return $a\nA -> B : f()", ":2:1: a call without an argument for `$a`"),
        (
            "!procedure p()\n!endprocedure\nA -> B : p()",
            ":3:1: `p` writes lines: it must be called in a line of its own",
        ),
    ] {
        assert_eq!(texts(text), [expected], "{text}");
    }
}

#[test]
fn json_values() {
    let data = "!$a = { \"name\": \"John\", \"tags\": [\"x\", {\"k\": 7}] }\n";
    let with = |text: &str| texts(&format!("{data}{text}"));
    assert_eq!(with("A -> B : $a.name, $a.tags[0] $a.tags[1].k."), ["John, x 7."]);
    assert_eq!(
        with("A -> B : $a[\"name\"] $a.tags[1 - 1] $a.none"),
        ["John x {\"name\":\"John\",\"tags\":[\"x\",{\"k\":7}]}.none"]
    );
    assert_eq!(with("!foreach $x in $a.tags\nA -> B : $x\n!endfor"), ["x", "{\"k\":7}"]);
    assert_eq!(with("!if $a.name == \"John\"\nA -> B : yes\n!endif"), ["yes"]);
    assert_eq!(with("!$n = %size($a.tags) + 1\nA -> B : $n %get_json_type($a)"), ["3 object"]);
    let keys = "!foreach $k in %get_json_keys($a)\nA -> B : $k\n!endforeach";
    assert_eq!(with(keys), ["name", "tags"]);
    let exists = "A -> B : %json_key_exists($a, \"name\")%json_key_exists($a, \"x\")";
    assert_eq!(with(exists), ["10"]);
    let lines = "!$b = [\n  1,\n  2\n]\n!foreach $x in $b\nA -> B : $x\n!endfor\nB -> A";
    assert_eq!(texts(lines), ["1", "2", ""]);
    let split = "!foreach $x in %splitstr(\"a;b\", \";\")\nA -> B : $x\n!endfor";
    assert_eq!(texts(split), ["a", "b"]);
}

#[test]
fn logic_and_colours() {
    for (call, expected) in [
        ("%and(1, 0)", "0"),
        ("%or(1, 0)", "1"),
        ("%xor(1, 1)", "0"),
        ("%nand(1, 1)", "0"),
        ("%nor(0, 0)", "1"),
        ("%xnor(1, 1)", "1"),
        ("%is_dark(\"#101010\")", "1"),
        ("%is_light(\"#101010\")", "0"),
        ("%mod(7, 4)", "3"),
        ("%lighten(\"red\", 20)", "#red"),
    ] {
        assert_eq!(texts(&format!("A -> B : x {call}")), [format!("x {expected}")], "{call}");
    }
    let styled = "!$c = %darken(\"#ffffff\", 20)\nskinparam backgroundColor $c\nA -> B : m";
    assert_eq!(texts(styled), ["m"]);
}

#[test]
fn calls_without_parentheses_are_whole_lines() {
    assert_eq!(
        texts("!definelong hello\nA -> B : hi\n!enddefinelong\nhello\nA -> B : hello"),
        ["hi", "hello"]
    );
    assert_eq!(texts("!procedure $p()\nA -> B : hi\n!endprocedure\n  $p"), ["hi"]);
}

#[test]
fn parts_of_files_are_included() {
    let read = |text: &str| match parse(text, 0..text.len(), &|_| {
        Ok("!startsub A\nA -> B : one\n!endsub\nA -> B : two\n!startsub A\nA -> B : three\n!endsub\n"
            .to_owned())
    }) {
        Ok(diagram) => diagram.body.len().to_string(),
        Err(error) => error.of(crate::source::Source::new("", text)).lines().collect(),
    };
    assert_eq!(read("!includesub x.puml!A"), "2");
    assert_eq!(read("!include x.puml!A"), "2");
    assert_eq!(read("!include x.puml"), "3");
    assert_eq!(read("!includesub x.puml!B\nA -> B"), ":1:1: `x.puml` has no part `B`");
}

#[test]
fn one_of_several_diagrams_of_a_file_is_included() {
    let file = "@startuml(id=pay)\nA -> B : pay\n!startsub S\nA -> B : sub\n!endsub\n@enduml\n\
                @startuml(id=log)\nA -> B : log\n@enduml\n";
    let read = |text: &str| match parse(text, 0..text.len(), &|_| Ok(file.to_owned())) {
        Ok(diagram) => diagram.body.into_iter().map(|it| match it {
            Statement::Message(message) => message.text,
            other => format!("{other:?}"),
        }),
        Err(error) => panic!("{:?}", error.of(crate::source::Source::new("", text))),
    };
    let texts = |text: &str| read(text).collect::<Vec<_>>();
    assert_eq!(texts("!include x.puml"), ["pay", "sub"]);
    assert_eq!(texts("!include x.puml!0"), ["pay", "sub"]);
    assert_eq!(texts("!include x.puml!log"), ["log"]);
    assert_eq!(texts("!includedef x.puml!log"), ["log"]);
    assert_eq!(texts("!include x.puml!1"), ["log"]);
    assert_eq!(texts("!include x.puml!S"), ["sub"]);
    assert_eq!(texts("!includesub x.puml!S"), ["sub"]);
}

#[test]
fn the_last_refusal_says_how_many_there_are() {
    let text = "!import x\n!$i = 0\n!while $i < 3\n!import y\n!$i = $i + 1\n!endwhile\n!import z";
    let one = "`!import` of the preprocessor is not supported";
    let total = "3 statements of the preprocessor are not supported";
    assert_eq!(
        texts(text),
        [format!(":1:1: {one}"), format!(":4:1: {one}"), format!(":7:1: {one}; {total}")]
    );
}

#[test]
fn values_have_a_limit() {
    let grown = "!$x = \"a\"\n!while 1\n!$x = $x + $x\n!endwhile\nA -> B";
    let kept = "!$x = \"0123456789\"\n!$i = 0\n!while $i < 1000000\n!$i = $i + 1\n\
                !$x = $x + \"0123456789\"\n!endwhile\nA -> B";
    let upper = "!$x = \"a\"\n!while 1\n!$x = %upper($x) + %lower($x)\n!endwhile\nA -> B";
    let name = "!$i = 0\n!$x = \"a\"\n!while 1\n!$i = $i + 1\n!$x = $x + \"0123456789abcdef\"\n\
                %set_variable_value(\"v\" + $i, $x)\n!endwhile\nA -> B";
    for text in [grown, kept, upper, name] {
        let found = texts(text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].ends_with("the values of the preprocessor take too many bytes"),
            "{found:?}"
        );
    }
}

#[test]
fn a_text_that_is_written_too_often_is_an_error() {
    let long = "x".repeat(1000);
    let text =
        format!("!procedure p()\nA -> B : {long}\n!endprocedure\n{}", "p()\n".repeat(20_000));
    assert!(texts(&text).iter().any(|it| it.contains("too many steps")));
}

#[test]
fn what_explodes_is_stopped() {
    let forever = "!$i = 0\n!while 1\nA -> B : x\n!endwhile";
    let mut laughs = "!define L0 lol lol lol lol\n".to_owned();
    for level in 1..30 {
        laughs += &format!("!define L{level}(x) L{0}(x) L{0}(x) L{0}(x) L{0}(x)\n", level - 1);
    }
    laughs += "A -> B : L29(1)";
    let circle = "!function f($a)\n!return f($a)\n!endfunction\nA -> B : f(1)";
    let deep = format!("!define F(x) x\nA -> B : {}", "F(".repeat(300) + &")".repeat(300));
    // Each repetition looks for the end of the branches.
    let branches = format!(
        "!$i = 0\n!while $i < 1000000\n!if 1\n!$i = $i + 1\n{}!endif\n!endwhile\nA -> B",
        "!elseif 1\n".repeat(10_000)
    );
    for text in [forever, &laughs, circle, &deep, &branches] {
        let found = texts(text);
        assert!(
            found[0].contains("too many steps") || found[0].contains("calls inside"),
            "{found:?}"
        );
    }
}
