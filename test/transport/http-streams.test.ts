// Streams over HTTP without a socket: what belongs to whom, what happens when a client goes away and comes back, and what one that does not read
// can take up.
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it, test, vi } from "vitest";
import { EventReader } from "./event-reader.js";
import { bench, messageOf } from "./http-client.js";
import { initialize, modern, notification, request } from "./scripted-service.js";

afterEach(() => void vi.useRealTimers());

describe("a question on the way to an answer", () => {
  it("goes on the stream of the POST that asked, never on that of the session", async () => {
    const client = bench();
    const session = await client.session();
    const unsolicited = new EventReader(await client.get(session));
    const asking = new EventReader(await client.post(request(2, "ask"), session));
    const question = await asking.message();
    expect(question).toMatchObject({ method: "roots/list" });
    await client.post({ jsonrpc: "2.0", id: question?.["id"], result: { roots: [] } }, session);
    expect(await asking.rest()).toEqual([{ jsonrpc: "2.0", id: 2, result: { answer: { roots: [] } } }]);
    await client.delete(session);
    expect(await unsolicited.rest()).toEqual([]);
  });

  it("can come before initialize is answered: the session is there by then, and is gone if it fails", async () => {
    const client = bench();
    const conversation = client.service.session.bind(client.service);
    let outcome = "2025-11-25";
    client.service.session = (link) => {
      const made = conversation(link);
      const receive = made.receive.bind(made);
      made.receive = async (message, visit) => {
        if ((message as { method?: string }).method === "initialize") await made.serve(request(0, "ask"), visit);
        return receive((message as { method?: string }).method === "initialize" ? initialize(outcome) : message, visit);
      };
      return made;
    };
    for (const status of [200, 404]) {
      const response = await client.post(initialize());
      const session = { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
      const reader = new EventReader(response);
      const question = await reader.message();
      expect((await client.post({ jsonrpc: "2.0", id: question?.["id"], result: {} }, session)).status).toBe(202);
      expect(await reader.rest()).toHaveLength(1);
      expect((await client.post(request(2, "ping"), session)).status).toBe(status);
      outcome = "refused";
    }
  });
});

describe("the stream for what nobody asked for", () => {
  it("is one a session, tells the conversation, and takes what is pushed", async () => {
    const client = bench();
    const session = await client.session();
    const [conversation] = client.service.conversations;
    expect(conversation?.link?.push(notification("early"))).toBe(false);
    expect(conversation?.hearings).toBe(0);
    const reader = new EventReader(await client.get(session));
    expect(conversation?.hearings).toBe(1);
    expect(conversation?.link?.push(notification("now"))).toBe(true);
    expect(await reader.message()).toEqual(notification("now"));
    expect((await client.get(session)).status).toBe(409);
    await reader.leave();
    expect(conversation?.link?.push(notification("late"))).toBe(false);
    const again = await client.get(session);
    expect(again.status).toBe(200);
    expect(conversation?.hearings).toBe(2);
    await new EventReader(again).leave();
  });

  it("is gone on with after an event of its own", async () => {
    const client = bench();
    const session = await client.session("2025-06-18");
    const { link } = client.service.conversations[0]!;
    const reader = new EventReader(await client.get(session));
    for (const each of [1, 2, 3]) link?.push(notification(each));
    const first = await reader.next();
    const resumed = new EventReader(await client.get({ ...session, "last-event-id": first?.id ?? "" }));
    expect([await resumed.message(), await resumed.message()]).toEqual([notification(2), notification(3)]);
    link?.push(notification(4));
    expect(await resumed.message()).toEqual(notification(4));
    expect(client.service.conversations[0]?.hearings).toBe(2);
  });

  it("of two clients carry nothing of each other, nor do their answers", async () => {
    const client = bench({ principal: (asked) => asked.headers.get("x-user") ?? undefined });
    const names = ["a", "b"];
    const sessions = await Promise.all(names.map((user) => client.session("2025-11-25", { "x-user": user })));
    const streams = await Promise.all(sessions.map(async (session) => new EventReader(await client.get(session))));
    const asked = await Promise.all(sessions.map(async (session) => new EventReader(await client.post(request(1, "ask"), session))));
    for (const [index, conversation] of client.service.conversations.entries()) conversation.link?.push(notification(names[index]));
    const questions = await Promise.all(asked.map((reader) => reader.message()));
    expect(questions.map((question) => question?.["id"])).toEqual(["q1", "q1"]);
    // Both use the same ids: each answer has to find its own conversation.
    for (const [index, session] of sessions.entries()) await client.post({ jsonrpc: "2.0", id: "q1", result: names[index] }, session);
    for (const [index, name] of names.entries()) {
      expect(await streams[index]?.message()).toEqual(notification(name));
      expect(await asked[index]?.rest()).toEqual([{ jsonrpc: "2.0", id: 1, result: { answer: name } }]);
    }
    const stolen = await client.get({ ...sessions[0], "x-user": "b", "last-event-id": "1-0" });
    expect(stolen.status).toBe(404);
  });
});

describe("a legacy client that goes away", () => {
  it("stream-close-cancel: cancels nothing, and comes back for exactly the rest of that stream", async () => {
    const client = bench();
    const session = await client.session();
    const one = new EventReader(await client.post(request(2, "news", { count: 2, slow: true, more: 2 }), session));
    const other = new EventReader(await client.post(request(3, "news", { count: 1, slow: true }), session));
    await one.next();
    const seen = await one.next();
    expect(JSON.parse(seen?.data ?? "")).toEqual(notification(1));
    await one.leave();
    await other.message();
    await other.leave();
    expect(client.service.visits.every(({ signal }) => signal === undefined)).toBe(true);
    client.service.release();
    await delay(10);
    const resumed = new EventReader(await client.get({ ...session, "last-event-id": seen?.id ?? "" }));
    expect(await resumed.rest()).toEqual([
      notification(2),
      notification(101),
      notification(102),
      { jsonrpc: "2.0", id: 2, result: { done: true } },
    ]);
    expect(client.service.conversations[0]?.closedFor).toBeUndefined();
    const again = new EventReader(await client.get({ ...session, "last-event-id": seen?.id ?? "" }));
    expect(await again.rest()).toHaveLength(4);
  });

  it("gets what is still to come on the stream it came back for", async () => {
    const client = bench();
    const session = await client.session();
    const reader = new EventReader(await client.post(request(2, "news", { count: 1, slow: true }), session));
    const primed = await reader.next();
    await reader.leave();
    const resumed = new EventReader(await client.get({ ...session, "last-event-id": primed?.id ?? "" }));
    expect(await resumed.message()).toEqual(notification(1));
    const rest = resumed.rest();
    client.service.release();
    expect(await rest).toEqual([{ jsonrpc: "2.0", id: 2, result: { done: true } }]);
  });

  it("can answer a question it got after it came back", async () => {
    const client = bench();
    const session = await client.session();
    const reader = new EventReader(await client.post(request(2, "ask"), session));
    const primed = await reader.next();
    await reader.leave();
    const resumed = new EventReader(await client.get({ ...session, "last-event-id": primed?.id ?? "" }));
    const question = await resumed.message();
    await client.post({ jsonrpc: "2.0", id: question?.["id"], result: "yes" }, session);
    expect(await resumed.rest()).toEqual([{ jsonrpc: "2.0", id: 2, result: { answer: "yes" } }]);
  });

  it.each(["garbage", "zz-1", "1-x", "", "9-1\t"])("with %j for a last event gets no stream of another", async (last) => {
    const client = bench();
    const session = await client.session();
    await (await client.post(request(2, "news"), session)).text();
    const response = await client.get({ ...session, "last-event-id": last });
    expect(response.status).toBe(last === "" ? 200 : 400);
    if (last === "") await new EventReader(response).leave();
  });

  it("misses only news, and never an answer, when it stays away for long", async () => {
    const client = bench({ limits: { replayEvents: 3, replayStreams: 1 } });
    const session = await client.session();
    const reader = new EventReader(await client.post(request(2, "news", { count: 1, slow: true, more: 50 }), session));
    const primed = await reader.next();
    await reader.leave();
    client.service.release();
    await delay(10);
    const resumed = new EventReader(await client.get({ ...session, "last-event-id": primed?.id ?? "" }));
    expect(await resumed.rest()).toEqual([notification(149), notification(150), { jsonrpc: "2.0", id: 2, result: { done: true } }]);
    await (await client.post(request(3, "news"), session)).text();
    await delay(1);
    expect((await client.get({ ...session, "last-event-id": primed?.id ?? "" })).status).toBe(400);
  });
});

describe("sse-priming-empty", () => {
  test.each([
    ["2025-11-25", true, true],
    ["2025-06-18", false, true],
    ["2025-03-26", false, true],
    ["2024-11-05", false, true],
  ])("at %s: priming %s, ids %s", async (revision, isPrimed, hasIds) => {
    const client = bench({ retryMs: 2500 });
    const reader = new EventReader(await client.post(request(2, "news"), await client.session(revision)));
    await reader.rest();
    expect(reader.raw.startsWith("id: 1-0\nretry: 2500\ndata: \n\n")).toBe(isPrimed);
    expect(/^id: 1-1$/m.test(reader.raw)).toBe(hasIds);
    expect(/^retry:/m.test(reader.raw)).toBe(isPrimed);
  });

  it("comes on the stream of the session as well, with the place where it is", async () => {
    const client = bench();
    const session = await client.session();
    const first = new EventReader(await client.get(session));
    expect(await first.text()).toBe("id: 0-0\nretry: 1000\ndata: \n\n");
    client.service.conversations[0]?.link?.push(notification(1));
    await first.message();
    await first.leave();
    const second = new EventReader(await client.get(session));
    expect(await second.text()).toBe("id: 0-1\nretry: 1000\ndata: \n\n");
    await second.leave();
  });
});

describe("stream-close-cancel: a modern client that goes away cancels", () => {
  it("by closing the stream", async () => {
    const client = bench();
    const reader = new EventReader(await client.post(modern(1, "news", { count: 1, slow: true })));
    await reader.message();
    const signal = client.service.visits[0]?.signal;
    expect(signal?.aborted).toBe(false);
    await reader.leave();
    expect(signal?.aborted).toBe(true);
  });

  it("by closing the connection before there is a stream", async () => {
    const client = bench();
    const connection = new AbortController();
    void client.post(modern(1, "slow"), {}, { signal: connection.signal }).catch(() => undefined);
    await delay(5);
    const signal = client.service.visits[0]?.signal;
    expect(signal?.aborted).toBe(false);
    connection.abort();
    expect(signal?.aborted).toBe(true);
  });

  it("but not by reading to the end", async () => {
    const client = bench();
    await new EventReader(await client.post(modern(1, "news"))).rest();
    await client.post(modern(2, "echo"));
    expect(client.service.visits.map(({ signal }) => signal?.aborted)).toEqual([false, false]);
  });
});

describe("a client that does not read", () => {
  test.each(["legacy", "modern"])("holds back who writes to it: %s", async (era) => {
    const client = bench();
    const params = { count: 100, size: 10_000 };
    const response =
      era === "modern"
        ? await client.post(modern(2, "flood", params))
        : await client.post(request(2, "flood", params), await client.session());
    await delay(20);
    expect(client.service.taken).toBeLessThan(12);
    const reader = new EventReader(response);
    await reader.message();
    await delay(5);
    expect(client.service.taken).toBeLessThan(20);
    expect(await reader.rest()).toHaveLength(100);
    expect(client.service.taken).toBe(100);
  });

  it("holds nobody back once it is gone, and what it can come back for is bounded", async () => {
    const client = bench({ limits: { replayCharacters: 50_000 } });
    const session = await client.session();
    const response = await client.post(request(2, "flood", { count: 100, size: 10_000 }), session);
    const reader = new EventReader(response);
    const primed = await reader.next();
    await reader.leave();
    await delay(20);
    expect(client.service.taken).toBe(100);
    const resumed = await new EventReader(await client.get({ ...session, "last-event-id": primed?.id ?? "" })).rest();
    expect(resumed.at(-1)).toMatchObject({ id: 2 });
    expect(resumed.length).toBeLessThan(6);
  });

  it("is let go of when more is written than it may leave unread; a modern one is thereby gone", async () => {
    const client = bench({ limits: { streamBytes: 100_000, replayCharacters: 50_000 } });
    const params = { count: 100, size: 10_000 };
    const session = await client.session();
    const legacy = await client.post(request(2, "flood-blindly", params), session);
    const stateless = await client.post(modern(2, "flood-blindly", params));
    await delay(5);
    expect(client.service.visits.at(-1)?.signal?.aborted).toBe(true);
    for (const response of [legacy, stateless]) {
      const text = await response.text();
      expect(text.length).toBeLessThan(120_000);
      expect(text).not.toContain('"done"');
    }
    const resumed = await new EventReader(await client.get({ ...session, "last-event-id": "1-9" })).rest();
    expect(resumed.at(-1)).toMatchObject({ id: 2, result: { done: true } });
  });

  it("of what nobody asked for is not pushed to until it has caught up", async () => {
    const client = bench();
    const session = await client.session();
    const [conversation] = client.service.conversations;
    const reader = new EventReader(await client.get(session));
    let pushed = 0;
    while (conversation?.link?.push(notification("x".repeat(10_000))) === true) pushed += 1;
    expect(pushed).toBeLessThan(10);
    expect(conversation?.hearings).toBe(1);
    for (let each = 0; each < pushed; each += 1) await reader.message();
    await delay(5);
    expect(conversation?.hearings).toBe(2);
    expect(conversation?.link?.push(notification("again"))).toBe(true);
    await reader.leave();
  });

  it("can take one event of any size", async () => {
    const client = bench({ limits: { streamBytes: 1000 } });
    const reader = new EventReader(
      await client.post(request(2, "flood", { count: 1, size: 1_000_000 }), await client.session("2025-06-18")),
    );
    expect(await reader.rest()).toHaveLength(2);
  });
});

describe("time", () => {
  it("brings a sign of life on every stream, and the head of one to who waits for an answer", async () => {
    vi.useFakeTimers();
    const client = bench();
    const session = await client.session("2025-06-18");
    const streams = [
      new EventReader(await client.get(session)),
      new EventReader(await client.post(request(2, "news", { count: 1, slow: true }), session)),
      new EventReader(await client.post(modern(3, "news", { count: 1, slow: true }))),
      new EventReader(await client.fetch("/sse")),
    ];
    const waiting = client.post(request(4, "slow"), session);
    const plain = client.post(request(5, "slow"), { ...session, accept: "application/json" });
    await vi.advanceTimersByTimeAsync(31_000);
    const upgraded = await waiting;
    expect(upgraded.headers.get("content-type")).toBe("text/event-stream");
    for (const stream of streams) {
      while (!stream.raw.includes(": keep-alive\n\n")) expect(await stream.text()).not.toBe("");
    }
    client.service.release();
    const reader = new EventReader(upgraded);
    expect(await reader.rest()).toMatchObject([{ id: 4 }]);
    expect(reader.raw.startsWith(": keep-alive\n\n")).toBe(true);
    expect(await messageOf(await plain)).toMatchObject({ id: 5 });
    for (const stream of streams) await stream.leave();
    await vi.advanceTimersByTimeAsync(1000);
  });

  it("ends sessions that nobody uses, but none with a stream or with work", async () => {
    vi.useFakeTimers();
    const client = bench({ idleMs: 60_000 });
    const [idle, listening, working, used] = [
      await client.session(),
      await client.session(),
      await client.session(),
      await client.session(),
    ];
    const stream = new EventReader(await client.get(listening));
    // Without a stream, only the work itself keeps the session.
    const slow = client.post(request(2, "slow"), { ...working, accept: "application/json" });
    for (let minute = 0; minute < 3; minute += 1) {
      await vi.advanceTimersByTimeAsync(45_000);
      expect((await client.post(request(3, "ping"), used)).status).toBe(200);
    }
    expect((await client.post(request(3, "ping"), idle)).status).toBe(404);
    expect(client.service.conversations[0]?.closedFor).toMatch(/not used/);
    client.service.release();
    expect((await slow).status).toBe(200);
    expect(client.service.conversations[1]?.link?.push(notification(1))).toBe(true);
    await stream.leave();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(await client.health()).toMatchObject({ sessions: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves no timer behind", async () => {
    vi.useFakeTimers();
    const client = bench();
    const session = await client.session();
    const stream = new EventReader(await client.get(session));
    await new EventReader(await client.post(modern(1, "news"))).rest();
    expect(vi.getTimerCount()).toBe(1);
    const closed = client.handler.close();
    await vi.advanceTimersByTimeAsync(1000);
    await closed;
    await stream.rest();
    expect(vi.getTimerCount()).toBe(0);
  });
});
