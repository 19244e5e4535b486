//! A language server (`sysyc lsp`): the Language Server Protocol 3.17 over the standard streams.
//!
//! A thread reads messages; the loop takes all that have come, in order, and checks a document only when
//! nothing is left to read: what was typed over in the meantime is never checked, and no work is queued. A
//! document is checked as a whole at each change, by the same stages as a compile; what is known of its names
//! (`index`) is read from the checker's columns when a request first asks for it.
//!
//! | file | holds |
//! | --- | --- |
//! | `transport` | messages on a stream |
//! | `documents` | texts, their changes, and what checking them said |
//! | `positions` | lines and columns, of UTF-16 or UTF-8, to bytes and back |
//! | `client` | what the client can do, and whether it is still there |
//! | `workspace` | what is asked of all documents: definitions, references, symbols, calls |
//! | `index` | every name of a document: what it stands for, where it is used |
//! | `diagnostics` | diagnostics and their edits |
//! | `format` | a document, a range, what is typed |
//! | `hints` | names of parameters, lengths, values |
//! | `select` | what a selection grows to |
//! | `hover` | types, values, signatures and comments |
//! | `names` | highlights, rename |
//! | `complete` | names in scope, keywords, the runtime library |
//! | `outline` | symbols, folding, tokens by meaning |
//! | `library` | what the runtime library's functions do |

mod client;
mod complete;
mod diagnostics;
mod documents;
mod format;
mod hints;
mod hover;
mod index;
mod library;
mod names;
mod outline;
mod positions;
mod select;
mod transport;
mod workspace;

use super::options::Goal;
use super::session::{Failure, Session};
use client::Client;
use documents::{Document, Documents};
use positions::Place;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::time::Duration;
use transport::Read;

/// Messages that wait to be taken, at most.
const WAITING: usize = 1 << 10;

/// How often it is asked whether the client is still there.
const ASKS: Duration = Duration::from_secs(1);

/// Error codes of JSON-RPC and of the protocol.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;
const NOT_INITIALIZED: i32 = -32002;
const REQUEST_CANCELLED: i32 = -32800;
const REQUEST_FAILED: i32 = -32803;

/// Why a request has no answer.
struct Refused(i32, String);

impl Refused {
    fn params() -> Refused {
        Refused(INVALID_PARAMS, "the parameters are not as the protocol says".to_string())
    }

    fn failed(why: impl Into<String>) -> Refused {
        Refused(REQUEST_FAILED, why.into())
    }
}

type Answer = Result<Value, Refused>;

/// The state of a server.
struct Server<W> {
    session: Session,
    documents: Documents,
    client: Client,
    /// To its own loop.
    sender: SyncSender<Read>,
    out: W,
    is_initialised: bool,
    is_shut_down: bool,
}

/// Serves until `exit`, the end of the input or that of the client. Returns the exit code: 0 behind `shutdown`, else 1.
pub fn serve(mut session: Session, input: impl BufRead + Send + 'static, out: impl Write) -> u8 {
    session.options.goal = Goal::Check;
    let (sender, receiver) = sync_channel(WAITING);
    let of_server = sender.clone();
    std::thread::spawn(move || {
        let mut input = input;
        loop {
            let read = transport::read(&mut input);
            let ends = matches!(read, Read::End | Read::Broken(_));
            if sender.send(read).is_err() || ends {
                return;
            }
        }
    });
    let (documents, client) = Default::default();
    let (is_initialised, is_shut_down, sender) = (false, false, of_server);
    let mut server = Server { session, documents, client, sender, out, is_initialised, is_shut_down };
    server.run(&receiver).unwrap_or(1)
}

impl<W: Write> Server<W> {
    /// Takes messages until the last. Fails if nothing can be written.
    fn run(&mut self, receiver: &Receiver<Read>) -> std::io::Result<u8> {
        let mut waiting: VecDeque<Value> = VecDeque::new();
        let mut ended = false;
        loop {
            // All that have come; if there are none and nothing is left to do, the next.
            while !ended {
                let idle = waiting.is_empty() && !self.documents.has_stale();
                let read = match receiver.try_recv() {
                    Ok(read) => read,
                    Err(TryRecvError::Empty) if idle => receiver.recv().unwrap_or(Read::End),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => Read::End,
                };
                match read {
                    Read::Message(bytes) => match serde_json::from_slice(&bytes) {
                        Ok(message) => waiting.push_back(message),
                        Err(error) => self.refuse(&Value::Null, PARSE_ERROR, &error.to_string())?,
                    },
                    Read::Broken(why) => {
                        self.refuse(&Value::Null, PARSE_ERROR, &why)?;
                        ended = true;
                    }
                    Read::End => ended = true,
                }
            }
            match waiting.pop_front() {
                Some(message) => {
                    if message["method"] == "exit" {
                        return Ok(u8::from(!self.is_shut_down));
                    }
                    self.take(&message, &waiting)?;
                }
                None if ended => return Ok(1),
                None => self.publish_stale()?,
            }
        }
    }

    /// One message, given those that have come behind it.
    fn take(&mut self, message: &Value, behind: &VecDeque<Value>) -> std::io::Result<()> {
        let (id, params) = (&message["id"], &message["params"]);
        let Some(method) = message["method"].as_str() else {
            // An answer to a request, of which there are none, or no message at all.
            let is_answer =
                message.is_object() && (message.get("result").is_some() || message.get("error").is_some());
            return if is_answer { Ok(()) } else { self.refuse(id, INVALID_REQUEST, "there is no method") };
        };
        if id.is_null() {
            if self.is_initialised {
                self.note(method, params);
            }
            return self.publish_closed();
        }
        let is_cancelled =
            |other: &Value| other["method"] == "$/cancelRequest" && other["params"]["id"] == *id;
        if behind.iter().any(is_cancelled) {
            return self.refuse(id, REQUEST_CANCELLED, "cancelled");
        }
        match self.answer(method, params) {
            Ok(result) => self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result })),
            Err(Refused(code, why)) => self.refuse(id, code, &why),
        }
    }

    /// A notification.
    fn note(&mut self, method: &str, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        match method {
            "textDocument/didOpen" => {
                let item = &params["textDocument"];
                if let Some(text) = item["text"].as_str() {
                    self.documents.open(uri, item["version"].as_i64(), text);
                }
            }
            "textDocument/didChange" => {
                let version = params["textDocument"]["version"].as_i64();
                if let (Some(document), Some(changes)) =
                    (self.documents.get_mut(uri), params["contentChanges"].as_array())
                {
                    document.change(version, changes);
                }
            }
            "textDocument/didClose" => self.documents.close(uri),
            "workspace/didChangeWorkspaceFolders" => {
                let (event, folders) = (&params["event"], &mut self.documents.folders);
                let removed: Vec<PathBuf> = client::paths(&event["removed"]).collect();
                folders.retain(|folder| !removed.contains(folder));
                folders.extend(client::paths(&event["added"]));
            }
            _ => {}
        }
    }

    /// A request. What goes wrong inside is an answer, too.
    fn answer(&mut self, method: &str, params: &Value) -> Answer {
        match method {
            "initialize" if self.is_initialised => {
                return Err(Refused(INVALID_REQUEST, "'initialize' comes once".to_string()));
            }
            "initialize" => {
                self.is_initialised = true;
                self.client = Client::new(params);
                (self.documents.units, self.documents.folders) =
                    (self.client.units, self.client.folders.clone());
                self.watch();
                return Ok(abilities(&self.client));
            }
            _ if !self.is_initialised => {
                return Err(Refused(NOT_INITIALIZED, "'initialize' comes first".to_string()));
            }
            _ if self.is_shut_down => {
                return Err(Refused(INVALID_REQUEST, "the server is shut down".to_string()));
            }
            "shutdown" => {
                self.is_shut_down = true;
                return Ok(Value::Null);
            }
            _ => {}
        }
        let Some(&(_, handle)) = REQUESTS.iter().find(|row| row.0 == method) else {
            return Err(Refused(METHOD_NOT_FOUND, format!("'{method}' is not known")));
        };
        let uri = params["textDocument"]["uri"].as_str();
        let (session, documents, client) = (&self.session, &mut self.documents, &mut self.client);
        let mut done = || match handle {
            All(handle) => handle(session, documents, params),
            One(handle) => handle(session, open(documents, uri)?, params),
            Told => Ok(diagnostics::pulled(session, open(documents, uri)?, client, params)),
        };
        session.guard(Path::new(uri.unwrap_or_default()), || Ok(done())).unwrap_or_else(|failure| {
            let why = match failure {
                Failure::Internal(bug) => format!("internal error: {} ({})", bug.message, bug.place),
                other => format!("{other:?}"),
            };
            Err(Refused(INTERNAL_ERROR, why))
        })
    }

    /// Ends with the client. One that is not there to begin with may be seen from elsewhere only.
    fn watch(&self) {
        let Some(process) = self.client.process.filter(|&process| !client::is_gone(process)) else { return };
        let sender = self.sender.clone();
        std::thread::spawn(move || {
            while !client::is_gone(process) {
                std::thread::sleep(ASKS);
            }
            _ = sender.send(Read::End);
        });
    }

    /// Checks what has changed, and tells what there is to say, unless the client asks for it.
    fn publish_stale(&mut self) -> std::io::Result<()> {
        while let Some(document) = self.documents.next_stale() {
            if self.client.pulls {
                continue;
            }
            let session = &self.session;
            let (uri, version) = (document.uri.clone(), document.version);
            let checked = session.guard(Path::new(&uri), || {
                document.check(session);
                Ok(diagnostics::diagnostics(document))
            });
            let list = diagnostics::linked(checked.unwrap_or_else(|_| json!([])), &mut self.client);
            let params = json!({ "uri": uri, "version": version, "diagnostics": list });
            self.send(
                &json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params }),
            )?;
        }
        Ok(())
    }

    /// Takes back what was told about closed documents.
    fn publish_closed(&mut self) -> std::io::Result<()> {
        for uri in self.documents.take_closed() {
            let params = json!({ "uri": uri, "diagnostics": [] });
            self.send(
                &json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params }),
            )?;
        }
        Ok(())
    }

    fn refuse(&mut self, id: &Value, code: i32, why: &str) -> std::io::Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } }))
    }

    fn send(&mut self, message: &Value) -> std::io::Result<()> {
        transport::write(&mut self.out, message)
    }
}

/// Who answers a request.
#[derive(Copy, Clone)]
enum Handle {
    /// It is about a document.
    One(fn(&Session, &mut Document, &Value) -> Answer),
    /// ... about all.
    All(fn(&Session, &mut Documents, &Value) -> Answer),
    /// It asks for the diagnostics of a document.
    Told,
}
use Handle::{All, One, Told};

/// All requests but those of the session.
static REQUESTS: [(&str, Handle); 24] = [
    ("textDocument/hover", One(hover::hover)),
    ("textDocument/signatureHelp", One(hover::signature)),
    ("textDocument/definition", All(workspace::definition)),
    ("textDocument/declaration", All(workspace::first_declaration)),
    ("textDocument/references", All(workspace::references)),
    ("textDocument/documentHighlight", One(names::highlights)),
    ("textDocument/prepareRename", One(names::prepare)),
    ("textDocument/rename", All(names::rename)),
    ("textDocument/completion", One(complete::complete)),
    ("textDocument/documentSymbol", One(outline::symbols)),
    ("textDocument/foldingRange", One(outline::folding)),
    ("textDocument/semanticTokens/full", One(outline::tokens)),
    ("textDocument/semanticTokens/range", One(outline::tokens)),
    ("textDocument/codeAction", One(diagnostics::actions)),
    ("textDocument/diagnostic", Told),
    ("textDocument/formatting", One(format::whole)),
    ("textDocument/rangeFormatting", One(format::range)),
    ("textDocument/onTypeFormatting", One(format::typed)),
    ("textDocument/inlayHint", One(hints::hints)),
    ("textDocument/selectionRange", One(select::ranges)),
    ("textDocument/prepareCallHierarchy", All(workspace::prepare)),
    ("callHierarchy/incomingCalls", All(workspace::incoming)),
    ("callHierarchy/outgoingCalls", All(workspace::outgoing)),
    ("workspace/symbol", All(workspace::symbols)),
];

/// What the server can do.
fn abilities(client: &Client) -> Value {
    let [first_typed, more_typed @ ..] = format::TYPED;
    json!({
        "capabilities": {
            "positionEncoding": client.units.name(),
            "textDocumentSync": { "openClose": true, "change": 2 },
            "hoverProvider": true,
            "signatureHelpProvider": { "triggerCharacters": ["(", ","] },
            "definitionProvider": true,
            "declarationProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": { "prepareProvider": true },
            "completionProvider": {},
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "callHierarchyProvider": true,
            "selectionRangeProvider": true,
            "inlayHintProvider": true,
            "documentFormattingProvider": true,
            "documentRangeFormattingProvider": true,
            "documentOnTypeFormattingProvider": {
                "firstTriggerCharacter": first_typed,
                "moreTriggerCharacter": more_typed,
            },
            "diagnosticProvider": { "interFileDependencies": false, "workspaceDiagnostics": false },
            "foldingRangeProvider": true,
            "semanticTokensProvider": {
                "legend": { "tokenTypes": outline::TYPES, "tokenModifiers": outline::MODIFIERS },
                "full": true,
                "range": true,
            },
            "codeActionProvider": { "codeActionKinds": ["quickfix", "source.fixAll"] },
            "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
        },
        "serverInfo": { "name": "sysyc", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// The open document that a request is about.
fn open<'a>(documents: &'a mut Documents, uri: Option<&str>) -> Result<&'a mut Document, Refused> {
    let document = documents.get_mut(uri.ok_or_else(Refused::params)?);
    document.ok_or_else(|| Refused(INVALID_PARAMS, "the document is not open".to_string()))
}

/// The offset that a request is about.
fn offset_of(document: &Document, params: &Value) -> Result<u32, Refused> {
    let place = Place::of(&params["position"]).ok_or_else(Refused::params)?;
    Ok(place.offset(&document.file, document.units))
}
