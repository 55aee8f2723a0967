// A server written by hand, which knows no SDK: it takes and gives texts, so that a test sees what is on the wire to the last digit. Of either era;
// what it was sent it tells when it is asked.
import type { Wire } from "../../runtime/index.js";

/** Where a raw server writes: on the stream of the message it answers, or beside all messages. */
export interface RawOutput {
  readonly answer: (text: string) => void;
  readonly beside: (text: string) => void;
}

/** The era of a raw server. */
export type RawEra = "legacy" | "modern";

/** Says of itself what no revision knows, beside what each wants said. */
const CAPABILITIES = `{"tools":{"listChanged":true,"x-in-tools":1},"logging":{},"prompts":{},"x-capability":{"deep":[1.0]}}`;
const SERVER_INFO = `{"name":"raw-server","version":"9"}`;

/** A list of tools with everything a tool can hold, and more. */
export const RAW_TOOL = `{"name":"t","title":"T","description":"D","icons":[{"src":"https://example.com/i.png"}],"inputSchema":{"type":"object","properties":{"a":{"type":"number","x-keyword":[1.0]}},"x-schema":9007199254740993},"outputSchema":{"type":"object","properties":{"big":{"type":"integer"}},"x-schema":true},"annotations":{"title":"A","readOnlyHint":true,"x-hint":[null]},"_meta":{"v/k":1.0},"x-tool":{"deep":[9007199254740993]}}`;

/** The content of a call's result: every kind of block, with members nobody knows, and a kind nobody knows. */
export const RAW_CONTENT = `[{"type":"text","text":"a","annotations":{"priority":1.0,"x-a":1},"_meta":{"v/b":1},"x-block":{"n":9007199254740993}},{"type":"image","data":"AAAA","mimeType":"image/png","x-block":1},{"type":"audio","data":"AAAA","mimeType":"audio/wav","x-block":1},{"type":"resource_link","uri":"file:///a","name":"a","x-block":1},{"type":"resource","resource":{"uri":"file:///a","text":"t","x-r":1},"x-block":1}]`;

/** The content with a block of a kind nobody knows. */
export const RAW_STRANGE = `[{"type":"com.example/chart","points":[1.0,9007199254740993]}]`;

/** The value a call is structured as. */
export const RAW_VALUE = `{"big":9007199254740993,"float":1.0,"tiny":1e-7}`;

/** What comes beside a result in its message. */
export const RAW_BESIDE = `{"n":9007199254740993}`;

/** The error of the tool that fails. */
export const RAW_ERROR = `{"code":-31234,"message":"BOOM","data":{"why":["x",1.0]},"x-error":1}`;

/** The question of the tool that asks. */
export const RAW_QUESTION = `{"mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"n":{"type":"number","maximum":9007199254740993}}},"x-question":1.0}`;

/** Answers the messages of one or more clients. */
export class RawServer {
  readonly #era: RawEra;
  /** The texts it was sent. */
  readonly #seen: string[] = [];
  readonly #questions = new Map<unknown, (answer: Wire) => void>();

  constructor(era: RawEra) {
    this.#era = era;
  }

  /** Takes one message; resolves once it is dealt with. `signal` aborts when its stream is closed from the other side. */
  async take(text: string, output: RawOutput, signal?: AbortSignal): Promise<void> {
    const message = JSON.parse(text) as Wire;
    const { id, method } = message;
    if (method !== SAW) this.#seen.push(text);
    if (method === undefined) return this.#questions.get(id)?.(message);
    if (id === undefined) return;
    signal?.addEventListener("abort", () => this.#seen.push(JSON.stringify({ closed: id })));
    const answer = await this.#answer(message, output);
    if (answer !== undefined) output.answer(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${answer}}`);
  }

  /** Gives the members of the answer beside its id; undefined for none. */
  async #answer({ method, params }: Wire, output: RawOutput): Promise<string | undefined> {
    const given = (params ?? {}) as Wire;
    if (method === "initialize") return this.#era === "legacy" ? result(this.#greeting(given)) : UNKNOWN;
    if (method === "server/discover") return this.#era === "modern" ? result(this.#discovery()) : UNKNOWN;
    if (method === SAW) return result(`"seen":${JSON.stringify(this.#seen)}${this.#complete()}`);
    if (method === "vendor/method") return result(`"echo":true,"n":9007199254740993${this.#complete()}`);
    if (method === "tools/list")
      return `${result(`"tools":[${RAW_TOOL}],"nextCursor":"c/2","x-list":1.0${this.#complete(true)}`)},"x-beside":${RAW_BESIDE}`;
    if (method === "tools/call") return this.#call(given, output);
    return UNKNOWN;
  }

  async #call({ name, _meta, inputResponses }: Wire, { answer, beside }: RawOutput): Promise<string | undefined> {
    const done = result(`"content":[]${this.#complete()}`);
    const meta = (_meta ?? {}) as Wire;
    switch (name) {
      case "t":
        return `${result(`"content":${RAW_CONTENT},"structuredContent":${RAW_VALUE},"_meta":{"v/r":1.0},"x-result":{"n":1.0}${this.#complete()}`)},"x-beside":${RAW_BESIDE}`;
      case "strange":
        return result(`"content":${RAW_STRANGE}${this.#complete()}`);
      case "fail":
        return `"error":${RAW_ERROR}`;
      case "progress":
        for (const progress of ["1.0", "2", "2.5"])
          answer(
            notification(
              "notifications/progress",
              `{"progressToken":${JSON.stringify(meta["progressToken"])},"progress":${progress},"total":4.0,"x-progress":1}`,
            ),
          );
        return done;
      case "log":
        answer(notification("notifications/message", `{"level":"error","data":{"n":1.0},"x-log":1}`));
        answer(notification("notifications/vendor", `{"n":9007199254740993}`));
        return done;
      case "later":
        setTimeout(() => {
          beside(notification("notifications/message", `{"level":"error","data":"later"}`));
          beside(notification("notifications/tools/list_changed", `{"x-change":1}`));
          beside(notification("notifications/vendor", `{"later":1.0}`));
        }, 20);
        return done;
      case "ask":
        return this.#era === "legacy" ? this.#askBeside(answer) : this.#askWithin(inputResponses);
      default:
        return undefined;
    }
  }

  async #askBeside(write: (text: string) => void): Promise<string> {
    const id = `q-${this.#questions.size}`;
    const answer = new Promise<Wire>((resolve) => this.#questions.set(id, resolve));
    write(`{"jsonrpc":"2.0","id":"${id}","method":"elicitation/create","params":${RAW_QUESTION}}`);
    return result(`"content":[],"heard":${JSON.stringify((await answer)["result"])}`);
  }

  #askWithin(responses: unknown): string {
    if (responses !== undefined) return result(`"content":[],"heard":${JSON.stringify((responses as Wire)["q"])}${this.#complete()}`);
    return result(
      `"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":${RAW_QUESTION}}},"requestState":"s"`,
    );
  }

  #greeting({ protocolVersion }: Wire): string {
    return `"protocolVersion":${JSON.stringify(protocolVersion)},"capabilities":${CAPABILITIES},"serverInfo":${SERVER_INFO},"instructions":"ask","x-greeting":1.0`;
  }

  #discovery(): string {
    return `"supportedVersions":["2026-07-28"],"capabilities":${CAPABILITIES},"instructions":"ask","x-greeting":1.0,"_meta":{"io.modelcontextprotocol/serverInfo":${SERVER_INFO}}${this.#complete(true)}`;
  }

  #complete(isFresh = false): string {
    if (this.#era === "legacy") return "";
    return `,"resultType":"complete"${isFresh ? `,"ttlMs":0,"cacheScope":"private"` : ""}`;
  }
}

/** The method by which a client asks what the server was sent. */
export const SAW = "vendor/saw";

const UNKNOWN = `"error":{"code":-32601,"message":"no such method"}`;

function result(members: string): string {
  return `"result":{${members}}`;
}

function notification(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":"${method}","params":${params}}`;
}
