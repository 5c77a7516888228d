import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { linkSignals } from "../../../src/lib/concurrency/linked-signal.ts";

describe("a linked signal", () => {
  const newSources = () => [new AbortController(), new AbortController()] as const;

  test("aborts with the first of its sources, also with one that has aborted", () => {
    for (const index of [0, 1] as const) {
      const sources = newSources();
      const { signal } = linkSignals(sources[0].signal, undefined, sources[1].signal);
      assert.equal(signal.aborted, false);
      sources[index].abort();
      assert.equal(signal.aborted, true);
      assert.equal(linkSignals(sources[0].signal, sources[1].signal).signal.aborted, true);
    }
  });

  test("aborts when it is disposed of, and leaves no listener on a source that remains", () => {
    const [source, other] = newSources();
    const linked = linkSignals(source.signal, other.signal);
    assert.equal(getEventListeners(source.signal, "abort").length, 1);
    linked[Symbol.dispose]();
    assert.equal(linked.signal.aborted, true);
    other.abort();
    assert.deepEqual(
      [source, other].flatMap(({ signal }) => getEventListeners(signal, "abort")),
      [],
    );
  });
});
