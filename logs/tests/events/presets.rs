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
    let returns = ["t web!list", "t web?list_return", "t shop?list", "t shop!list_return"];
    assert_eq!(made("jaeger", "[spans]\nreturns = true\n", Format::Json, jaeger), returns);
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
    );
    assert_eq!(
        made("lsp", "", Format::Text, lines),
        [
            "run C!initialize",
            "run C?initialize result",
            "run C!shutdown",
            "run C?window/logMessage",
            "run C?shutdown result"
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

#[test]
fn presets_of_documents_and_of_lines_make_events() {
    let har = r#"{"log":{"entries":[{"pageref":"p","startedDateTime":"2024-05-01T12:00:00Z","time":5.5,
        "request":{"method":"GET","url":"https://a.b/cart?x=1"},"response":{"status":200}}]}}"#;
    assert_eq!(made("har", "", Format::Json, har), ["p browser!GET /cart", "p browser?200 /cart"]);
    let trail = r#"{"Records":[{"eventTime":"2024-05-01T12:00:00Z","eventSource":"s3","eventName":"Get","userIdentity":{"principalId":"me"}}]}"#;
    assert_eq!(made("cloudtrail", "", Format::Json, trail), ["me s3?Get"]);
    let audit = r#"{"stage":"ResponseComplete","verb":"create","stageTimestamp":"2024-05-01T12:00:00Z","objectRef":{"resource":"pods","namespace":"n","name":"w"}}"#;
    assert_eq!(made("k8s-audit", "", Format::JsonLines, audit), ["n/w api?create pods"]);
    let own = "[event]\nsession = { field = \"MESSAGE\", match = 'id=(\\w+)' }\ndirection = \"emission\"\nmessage = { field = \"MESSAGE\", match = 'did (\\w+)' }\n";
    let journal = r#"{"__REALTIME_TIMESTAMP":"5","_HOSTNAME":"h","SYSLOG_IDENTIFIER":"app","MESSAGE":"did go id=7"}"#;
    assert_eq!(made("journald", own, Format::JsonLines, journal), ["7 app!go"]);
    let xray = r#"{"Traces":[{"Id":"t","Segments":[{"Document":"{\"name\":\"web\",\"start_time\":1.5,\"end_time\":2,\"http\":{\"request\":{\"method\":\"GET\"},\"response\":{\"status\":200}}}"}]}]}"#;
    let mapping = mapping("[input]\nformat = \"xray\"\n");
    assert_eq!(map(&mapping, xray.as_bytes(), Format::Json), ["t web?GET", "t web!200"]);
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
    let ek = concat!(
        r#"{"index":{"_index":"packets"}}"#,
        "\n",
        r#"{"timestamp":"1","layers":{"frame":{"frame_frame_time_epoch":"2024-05-01T12:00:00Z","frame_frame_protocols":"eth:ip:tcp:http"},"ip":{"ip_ip_src":"10.0.0.1","ip_ip_dst":"10.0.0.2"},"tcp":{"tcp_tcp_stream":"7"}}}"#,
    );
    assert_eq!(made("tshark", "", Format::JsonLines, ek), packets);
}
