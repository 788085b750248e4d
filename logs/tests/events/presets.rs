//! Mappings for the logs of tools.

use super::common::{grouped, map, mapping};
use multitrace_logs::Format;

/// The events that a log becomes by the preset of a tool and the additions of a mapping.
fn made(preset: &str, more: &str, format: Format, log: &str) -> Vec<String> {
    let text = format!("[input]\nformat = \"{preset}\"\n{more}");
    let mapping = mapping(&text);
    let made = grouped(&mapping, log.as_bytes(), format, 1 << 20);
    assert_eq!(made.problems, Vec::<String>::new(), "{preset}");
    let of = |(session, events): (String, Vec<String>)| {
        events.into_iter().map(move |event| format!("{session} {event}")).collect::<Vec<_>>()
    };
    made.sessions.into_iter().flat_map(of).collect()
}

#[test]
fn presets_of_spans_name_calls_after_the_end_that_is_called() {
    let jaeger = r#"{"data":[{"traceID":"t","spans":[
        {"traceID":"t","spanID":"1","operationName":"GET","startTime":1,"duration":8,"processID":"p","tags":[{"key":"span.kind","value":"client"}]},
        {"traceID":"t","spanID":"2","operationName":"list","startTime":2,"duration":5,"processID":"q","references":[{"refType":"CHILD_OF","spanID":"1"}],"tags":[{"key":"span.kind","value":"server"}]},
        {"traceID":"t","spanID":"3","operationName":"work","startTime":3,"duration":1,"processID":"q"}],
        "processes":{"p":{"serviceName":"web"},"q":{"serviceName":"shop"}}}]}"#;
    let plain = ["t web!list", "t shop?list"];
    assert_eq!(made("jaeger", "", Format::Json, jaeger), plain);
    let child = r#""references":[{"refType":"CHILD_OF","spanID":"1"}]"#;
    let other = jaeger.replace(child, r#""parentSpanID":"1""#);
    assert_eq!(made("jaeger", "", Format::Json, &other), plain);
    // What only follows is the end of no call, unless the mapping says so: each span has its own name.
    let follows = jaeger.replace("CHILD_OF", "FOLLOWS_FROM");
    assert_eq!(made("jaeger", "", Format::Json, &follows), ["t web!GET", "t shop?list"]);
    let any = "[spans]\nparent = \"references[refType=FOLLOWS_FROM].spanID\"\n";
    assert_eq!(made("jaeger", any, Format::Json, &follows), plain);
    let returns = ["t web!list", "t web?list_return", "t shop?list", "t shop!list_return"];
    assert_eq!(made("jaeger", "[spans]\nreturns = true\n", Format::Json, jaeger), returns);
}

/// The first API of Tempo has ids in base64.
#[test]
fn ids_in_base64_are_those_in_hex() {
    let spans = |[trace, client, server]: [&str; 3]| {
        let span = |service, more: &str| {
            format!(
                r#"{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{service}"}}}}]}},"scopeSpans":[{{"spans":[{{"traceId":"{trace}",{more}}}]}}]}}"#
            )
        };
        let client_span =
            format!(r#""spanId":"{client}","name":"GET","kind":3,"startTimeUnixNano":"1""#);
        let server_span = format!(
            r#""spanId":"{server}","parentSpanId":"{client}","name":"list","kind":2,"startTimeUnixNano":"2""#
        );
        format!(r#"{{"batches":[{},{}]}}"#, span("web", &client_span), span("cart", &server_span))
    };
    let hex = ["5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b173", "eee19b7ec3c1b174"];
    let base64 = ["W47/95gDgQPSabYzgT/GDA==", "7uGbfsPBsXM=", "7uGbfsPBsXQ="];
    let events =
        hex[..1].iter().flat_map(|id| [format!("{id} web!list"), format!("{id} cart?list")]);
    let events: Vec<String> = events.collect();
    for ids in [hex, base64, [hex[0], base64[1], base64[2]]] {
        assert_eq!(made("tempo", "", Format::OtlpJson, &spans(ids)), events, "{ids:?}");
    }
}

#[test]
fn presets_of_messages_name_responses() {
    let lines = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":0,"result":{}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":0,"error":{}}"#,
    );
    assert_eq!(
        made("mcp", "", Format::JsonLines, lines),
        [
            "stdio Server?initialize",
            "stdio Server!initialize result",
            "stdio Server!sampling/createMessage",
            "stdio Server?sampling/createMessage error"
        ]
    );
    let lines = concat!(
        "--> {\"id\":1,\"method\":\"initialize\"}\n<-- Content-Length: 9 {\"id\":1,\"result\":{}}\n",
        "[Trace - 10:00:00 AM] Sending request 'shutdown - (2)'.\n",
        "[Trace - 10:00:01 AM] Received notification 'window/logMessage'.\n",
        "[Trace - 10:00:01 AM] Received response 'shutdown - (2)' in 12ms.\n",
        "[Trace - 10:00:02 AM] Sending request 'textDocument/hover - (3)'.\n",
        "[Trace - 10:00:02 AM] Received response 'textDocument/hover - (3)' in 4ms. Request failed: Request cancelled (-32800).\n",
        "[Trace - 10:00:03 AM] Received request 'workspace/configuration - (4)'.\n",
        "[Trace - 10:00:03 AM] Sending response 'workspace/configuration - (4)'. Processing request took 0ms\n",
    );
    assert_eq!(
        made("lsp", "", Format::Text, lines),
        [
            "run C!initialize",
            "run C?initialize result",
            "run C!shutdown",
            "run C?window/logMessage",
            "run C?shutdown result",
            "run C!textDocument/hover",
            "run C?textDocument/hover error",
            "run C?workspace/configuration",
            "run C!workspace/configuration result",
        ]
    );
    let lines = concat!(
        "09:00 [ocpp] box-1: receive message [2,\"a\",\"Boot\",{\"x\":[1]}]\n09:00 started\n",
        "09:01 [ocpp] box-1: send [3,\"a\",{\"status\":\"Accepted\"}]\n",
        "09:01 [ocpp] box-1: send [2, \"b\", \"Get\", {}]\n09:02 [ocpp] box-1: receive message [4,\"b\",\"Internal\",\"\",{}]\n",
    );
    assert_eq!(
        made("ocpp", "", Format::Text, lines),
        [
            "box-1 CS?Boot.req",
            "box-1 CS!Boot.conf(Accepted)",
            "box-1 CS!Get.req",
            "box-1 CS?Get error"
        ]
    );
}

/// A response with the text of a number answers no request with the number.
#[test]
fn presets_tell_numbers_from_texts_that_look_like_them() {
    let lines = "{\"id\":1,\"method\":\"open\"}\n{\"id\":\"1\",\"result\":{}}\n";
    let arrows = format!("--> {}", lines.replace("\n{", "\n<-- {"));
    let calls = "box: receive [2,1,\"Boot\",{}]\nbox: send [3,\"1\",{}]\n";
    for (preset, format, log) in [
        ("json-rpc", Format::JsonLines, lines),
        ("mcp", Format::JsonLines, lines),
        ("a2a", Format::JsonLines, lines),
        ("lsp", Format::Text, &arrows),
        ("ocpp", Format::Text, calls),
    ] {
        let mapping = mapping(&format!("[input]\nformat = \"{preset}\"\n"));
        let alone = |log: &str| {
            let counts = grouped(&mapping, log.as_bytes(), format, 1 << 20).counts;
            (counts.unanswered, counts.unasked)
        };
        assert_eq!(alone(log), (1, 1), "{preset}");
        assert_eq!(alone(&log.replace("\"1\"", "1")), (0, 0), "{preset}");
        assert_eq!(
            alone(&log.replace(":1,", ":\"1\",").replace("[2,1", "[2,\"1\"")),
            (0, 0),
            "{preset}"
        );
    }
}

#[test]
fn presets_of_documents_and_of_lines_make_events() {
    let har = r#"{"log":{"entries":[{"pageref":"p","startedDateTime":"2024-05-01T12:00:00Z","time":5.5,
        "request":{"method":"GET","url":"https://a.b/cart?x=1"},"response":{"status":200}}]}}"#;
    assert_eq!(made("har", "", Format::Json, har), ["p browser!GET /cart", "p browser?200 /cart"]);
    // Browsers write that no answer came as a status.
    for status in ["0", "-1", "null"] {
        let none = har.replace("5.5", "-1").replace("200", status);
        assert_eq!(made("har", "", Format::Json, &none), ["p browser!GET /cart"], "{status}");
    }
    // An answer whose time was not measured, and addresses that no server was asked for.
    for time in ["-1", "null"] {
        let none = har.replace("5.5", time);
        let both = ["p browser!GET /cart", "p browser?200 /cart"];
        assert_eq!(made("har", "", Format::Json, &none), both, "{time}");
    }
    for url in ["data:image/png;base64,AA", "blob:https://a.b/1"] {
        let own = har.replace("https://a.b/cart?x=1", url);
        assert_eq!(made("har", "", Format::Json, &own), [""; 0], "{url}");
    }
    // An answer that was not written is not one that never came.
    let damaged = har.replace("\"response\"", "\"RESPONSE\"");
    let events = map(&mapping("[input]\nformat = \"har\"\n"), damaged.as_bytes(), Format::Json);
    assert_eq!(events, ["it has no field `response.status`"]);
    let asterisk = har.replace("https://a.b/cart?x=1", "*").replace("GET", "OPTIONS");
    assert_eq!(made("har", "", Format::Json, &asterisk)[0], "p browser!OPTIONS *");
    let tunnel = har.replace("https://a.b/cart?x=1", "a.b:443").replace("GET", "CONNECT");
    assert_eq!(
        made("har", "", Format::Json, &tunnel),
        ["p browser!CONNECT a.b:443", "p browser?200 a.b:443"]
    );
    let trail = r#"{"Records":[{"eventTime":"2024-05-01T12:00:00Z","eventSource":"s3","eventName":"Get","userIdentity":{"principalId":"me"}}]}"#;
    assert_eq!(made("cloudtrail", "", Format::Json, trail), ["me s3?Get"]);
    let audit = r#"{"stage":"ResponseComplete","verb":"create","stageTimestamp":"2024-05-01T12:00:00Z","objectRef":{"resource":"pods","namespace":"n","name":"w"}}"#;
    assert_eq!(made("k8s-audit", "", Format::JsonLines, audit), ["n/w api?create pods"]);
    let own = "[event]\nsession = { field = \"MESSAGE\", match = 'id=(\\w+)' }\ndirection = \"emission\"\nmessage = { field = \"MESSAGE\", match = 'did (\\w+)' }\n";
    let journal = r#"{"__REALTIME_TIMESTAMP":"5","_HOSTNAME":"h","SYSLOG_IDENTIFIER":"app","MESSAGE":"did go id=7"}"#;
    assert_eq!(made("journald", own, Format::JsonLines, journal), ["7 app!go"]);
    // A field that was given twice.
    let twice = journal.replace("\"app\"", "[\"app\",\"other\"]");
    assert_eq!(made("journald", own, Format::JsonLines, &twice), ["7 app!go"]);
    let xray = r#"{"Traces":[{"Id":"t","Segments":[{"Document":"{\"name\":\"web\",\"start_time\":1.5,\"end_time\":2,\"http\":{\"request\":{\"method\":\"GET\"},\"response\":{\"status\":200}}}"}]}]}"#;
    let mapping = mapping("[input]\nformat = \"xray\"\n");
    assert_eq!(map(&mapping, xray.as_bytes(), Format::Json), ["t web?GET", "t web!200"]);
    // A table that is called has an operation, a function of Lambda nothing, and a call that goes on no status.
    let method = r#"\"request\":{\"method\":\"GET\"},"#;
    let bare = xray.replace(method, "");
    assert_eq!(map(&mapping, bare.as_bytes(), Format::Json), ["t web?call", "t web!200"]);
    let table = bare.replace(r#"\"http\""#, r#"\"aws\":{\"operation\":\"PutItem\"},\"http\""#);
    assert_eq!(map(&mapping, table.as_bytes(), Format::Json), ["t web?PutItem", "t web!200"]);
    let open = table.replace(r#"\"status\":200"#, "");
    assert_eq!(map(&mapping, open.as_bytes(), Format::Json), ["t web?PutItem"]);
}

#[test]
fn agents_and_packets_have_presets() {
    let lines = concat!(
        r#"{"jsonrpc":"2.0","id":"1","method":"message/send","params":{"message":{"role":"user"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":"1","result":{"id":"t","status":{"state":"working"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":"2","method":"tasks/get","params":{"id":"t"}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":"2","result":{"id":"t","status":{"state":"completed"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":"3","method":"tasks/cancel","params":{"id":"t"}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":"3","error":{"code":-32002}}"#,
    );
    assert_eq!(
        made("a2a", "", Format::JsonLines, lines),
        [
            "run Agent?message/send",
            "run Agent!message/send working",
            "run Agent?tasks/get",
            "run Agent!tasks/get completed",
            "run Agent?tasks/cancel",
            "run Agent!tasks/cancel error",
        ]
    );
    let json = r#"[{"_source":{"layers":{"frame":{"frame.time_epoch":"1.5","frame.protocols":"eth:ip:tcp:http"},
        "ip":{"ip.src":"10.0.0.1","ip.dst":"10.0.0.2"},"tcp":{"tcp.stream":"7"}}}}]"#;
    let packets = ["tcp 7 10.0.0.1!http", "tcp 7 10.0.0.2?http"];
    assert_eq!(made("tshark", "", Format::Json, json), packets);
    let inner = r#""ip":{"ip.src":"10.0.0.1","ip.dst":"10.0.0.2"}"#;
    let tunnel = r#""ip":[{"ip.src":"9.9.9.1","ip.dst":"9.9.9.2"},{"ip.src":"10.0.0.1","ip.dst":"10.0.0.2"}]"#;
    assert_eq!(made("tshark", "", Format::Json, &json.replace(inner, tunnel)), packets);
    let ek = concat!(
        r#"{"index":{"_index":"packets"}}"#,
        "\n",
        r#"{"timestamp":"1","layers":{"frame":{"frame_frame_time_epoch":"2024-05-01T12:00:00Z","frame_frame_protocols":"eth:ip:tcp:http"},"ip":{"ip_ip_src":"10.0.0.1","ip_ip_dst":"10.0.0.2"},"tcp":{"tcp_tcp_stream":"7"}}}"#,
    );
    assert_eq!(made("tshark", "", Format::JsonLines, ek), packets);
}

/// Traces without the object that the API puts around them, and the third API, which puts OTLP into one.
#[test]
fn traces_are_read_without_what_is_around_them() {
    let trace = r#"{"traceID":"t","spans":[{"traceID":"t","spanID":"1","operationName":"GET","startTime":1,"duration":8,"processID":"p","tags":[{"key":"span.kind","value":"client"}]}],"processes":{"p":{"serviceName":"web"}}}"#;
    let list = format!("[{trace},{}]", trace.replace("\"t\"", "\"u\""));
    assert_eq!(made("jaeger", "", Format::Json, trace), ["t web!GET"]);
    assert_eq!(made("jaeger", "", Format::Json, &list), ["t web!GET", "u web!GET"]);
    let wrapped = r#"{"result":{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"web"}}]},"scopeSpans":[{"spans":[{"traceId":"0a","spanId":"01","name":"GET","kind":3,"startTimeUnixNano":"1"}]}]}]}}"#;
    assert_eq!(made("otlp", "", Format::OtlpJson, wrapped), ["0a web!GET"]);
}

/// Lines that are lists are batches of JSON-RPC.
#[test]
fn batches_of_calls_are_lists_on_lines() {
    let lines = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\"}]\n\
                 {\"jsonrpc\":\"2.0\",\"method\":\"c\"}\n\
                 [{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":1},{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}]\n";
    let events = [
        "run Server?a",
        "run Server?b",
        "run Server?c",
        "run Server!b result",
        "run Server!a error",
    ];
    assert_eq!(made("json-rpc", "", Format::JsonLines, lines), events);
    // The answer to a request that could not be read.
    let null = r#"{"jsonrpc":"2.0","error":{"code":-32700},"id":null}"#;
    for (preset, event) in [
        ("json-rpc", "run Server!unasked error"),
        ("mcp", "stdio Server!unasked error"),
        ("a2a", "run Agent!unasked error"),
    ] {
        assert_eq!(made(preset, "", Format::JsonLines, null), [event]);
    }
    // Lists of anything else are not records.
    let preset = mapping("[input]\nformat = \"json-rpc\"\n");
    for line in ["[]", "[1,{\"id\":1}]", "[{\"id\":1},]"] {
        let made = grouped(&preset, line.as_bytes(), Format::JsonLines, 1 << 20);
        assert_eq!(made.problems.len(), 1, "{line}: {:?}", made.problems);
    }
}

/// Both sides of MCP count from the same number.
#[test]
fn responses_of_two_sides_with_one_id_are_told_by_their_form() {
    let asked = [
        r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
    ];
    let told = [
        r#"{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":{}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#,
    ];
    let events = ["stdio Server?sampling/createMessage result", "stdio Server!tools/call result"];
    for [one, other] in [[0, 1], [1, 0]] {
        let lines = [asked[0], asked[1], told[one], told[other]].join("\n");
        let made = made("mcp", "", Format::JsonLines, &lines);
        assert_eq!(made[2..], [events[one], events[other]]);
    }
}

/// A request of a stream has several responses.
#[test]
fn later_responses_of_a_stream_have_the_same_request() {
    let state = |state: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":"1","result":{{"status":{{"state":"{state}"}}}}}}"#)
    };
    let ask = r#"{"jsonrpc":"2.0","id":"1","method":"message/stream"}"#;
    let artifact = r#"{"jsonrpc":"2.0","id":"1","result":{"artifact":{}}}"#;
    let lines =
        [ask, &state("submitted"), &state("working"), artifact, &state("completed")].join("\n");
    let events = [
        "run Agent?message/stream",
        "run Agent!message/stream submitted",
        "run Agent!message/stream working",
        "run Agent!message/stream result",
        "run Agent!message/stream completed",
    ];
    assert_eq!(made("a2a", "", Format::JsonLines, &lines), events);
    let one = lines.replace("message/stream", "ping");
    let made = made("json-rpc", "", Format::JsonLines, &one);
    assert_eq!(made[1..3], ["run Server!ping result", "run Server!unasked result"]);
}

/// What an agent does in its own program is internal, and its tools name no conversation.
#[test]
fn agents_act_in_the_conversation_of_their_trace() {
    let span = |(id, kind, times, more): (&str, u8, [u8; 2], &str)| {
        let attributes = more.split(' ').filter_map(|it| it.split_once('=')).map(|(key, value)| {
            format!(r#"{{"key":"gen_ai.{key}","value":{{"stringValue":"{value}"}}}}"#)
        });
        let attributes = attributes.collect::<Vec<_>>().join(",");
        let [start, end] = times;
        format!(
            r#"{{"traceId":"0a","spanId":"{id}","name":"x","kind":{kind},"startTimeUnixNano":"{start}","endTimeUnixNano":"{end}","attributes":[{attributes}]}}"#
        )
    };
    let trace = |conversation: &str| {
        let agent = format!("operation.name=invoke_agent agent.name=planner {conversation}");
        let chat = format!("operation.name=chat request.model=m {conversation}");
        let tool = "operation.name=execute_tool tool.name=search";
        let spans =
            [("01", 1, [1, 9], agent.as_str()), ("02", 3, [2, 3], &chat), ("03", 1, [4, 5], tool)];
        let spans = spans.map(span).join(",");
        format!(
            r#"{{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"app"}}}}]}},"scopeSpans":[{{"spans":[{spans}]}}]}}]}}"#
        )
    };
    let events = |session: &str| {
        let events = [
            "planner?invoke_agent",
            "planner!invoke_agent_return",
            "app!chat m",
            "app?chat m_return",
            "app!execute_tool search",
            "app?execute_tool search_return",
        ];
        let mut events = events.map(|event| format!("{session} {event}"));
        events.sort();
        events.to_vec()
    };
    for (conversation, session) in [("conversation.id=c1", "c1"), ("", "0a")] {
        let mut found = made("genai", "", Format::OtlpJson, &trace(conversation));
        found.sort();
        assert_eq!(found, events(session));
    }
}

#[test]
fn presets_read_other_writings_of_ids_addresses_and_arrows() {
    let ocpp = "box: receive [2, 17, \"Boot\", {}]\nbox: send [3, 17, {\"status\":\"Accepted\"}]\n";
    assert_eq!(
        made("ocpp", "", Format::Text, ocpp),
        ["box CS?Boot.req", "box CS!Boot.conf(Accepted)"]
    );
    let lsp = "2024-05-01 10:00:00.123 [info] --> {\"id\":1,\"method\":\"initialize\"}\n\
               2024-05-01 10:00:00.423 [info] <-- {\"id\":1,\"result\":{}}\n\
               2024-05-01 10:00:01.523 [info] a note -> here {x}\n";
    assert_eq!(made("lsp", "", Format::Text, lsp), ["run C!initialize", "run C?initialize result"]);
    let json = r#"[{"_source":{"layers":{"frame":{"frame.time_epoch":"1.5","frame.protocols":"eth:ipv6:udp:dns"},"ipv6":{"ipv6.src":"fe80::1","ipv6.dst":"fe80::2"}}}}]"#;
    assert_eq!(made("tshark", "", Format::Json, json), ["run fe80::1!dns", "run fe80::2?dns"]);
}
