import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OutputClosed } from "../../../src/cli/failure.ts";
import { createJsonOutput } from "../../../src/cli/terminal/json-output.ts";
import { describeProgress, type Repeat, showTransfer, showWhile } from "../../../src/cli/terminal/progress.ts";
import { formatShortDuration } from "../../../src/cli/terminal/text.ts";
import { renderBar, type TransferState } from "../../../src/cli/terminal/transfer-line.ts";
import { displayWidth } from "../../../src/lib/text/display-width.ts";
import { renderScreen } from "../../support/machine/screen.ts";
import { until } from "../../support/until.ts";

const MB = 1024 ** 2;

describe("progress", () => {
  it("shows files, bytes, the current rate and the remaining time", () => {
    let nowMs = 1000;
    let progress = { done: { files: 0, bytes: 0 }, total: { files: 4, bytes: 400 * MB }, failed: 0 };
    const render = describeProgress(
      () => progress,
      () => nowMs,
    );
    assert.equal(render(), "0 of 4 files, 0 bytes of 400 MB, 0 bytes/s");
    nowMs += 10_000;
    progress = { ...progress, done: { files: 1, bytes: 100 * MB } };
    assert.equal(render(), "1 of 4 files, 100 MB of 400 MB, 10 MB/s, 30 s left");
    nowMs += 60_000;
    assert.match(render(), /, 0 bytes\/s$/, "it stands still");
    nowMs += 1000;
    progress = { ...progress, done: { files: 2, bytes: 101 * MB }, failed: 1 };
    assert.match(render(), /^2 of 4 files, .*, 1 MB\/s, 5 min left, 1 failed$/);
  });

  it("redraws and erases one line on a terminal, and prints nothing elsewhere", async () => {
    for (const isInteractive of [true, false]) {
      const written: string[] = [];
      const terminal = {
        isInteractive,
        columns: () => 80,
        onResize: () => () => undefined,
        async err(text: string) {
          written.push(text);
        },
      };
      const result = await showWhile(terminal, async (show) => {
        show(() => "half");
        if (isInteractive) await until("it is shown", () => written.length > 0);
        return 7;
      });
      assert.equal(result, 7);
      assert.deepEqual([...new Set(written)], isInteractive ? ["\r\x1b[Jhalf", "\r\x1b[J"] : []);
    }
  });

  const state = (doneBytes: number, more: Partial<TransferState> = {}): TransferState => ({
    action: "Uploading",
    name: "a long name of a holiday video.mp4",
    doneBytes,
    totalBytes: 400 * MB,
    ...more,
  });
  const reading = (more: Partial<TransferState> = {}) => ({
    state: state(100 * MB, more),
    speed: { bytesPerSecond: 10 * MB, msLeft: 30_000 },
  });

  it("draws a bar as wide as the terminal allows, with as many facts as fit", () => {
    assert.equal(renderBar(reading(), 39), "a long n….mp4   25%  10 MB/s  30 s left");
    assert.equal(renderBar(reading(), 79), "a long name …eo.mp4  [###---------]   25%  100 MB of 400 MB  10 MB/s  30 s left");
    assert.equal(
      renderBar(reading(), 120),
      "a long name of a holiday video.mp4  [#########-----------------------------]   25%  100 MB of 400 MB  10 MB/s  30 s left",
    );
    assert.equal(renderBar(reading({ totalBytes: undefined, name: "-" }), 79), "-  100 MB  10 MB/s  30 s left");
    assert.match(
      renderBar(reading({ waiting: "waiting for the connection" }), 79),
      /25% {2}100 MB of 400 MB {2}waiting for the connection$/,
    );
  });

  it("fits into every width, also with wide characters and control characters in names", () => {
    for (const name of ["x", "漢字の名前がとても長いファイル.txt", "a\x1b[31m\r\n.txt", "👩‍👩‍👧".repeat(20)])
      for (let columns = 1; columns <= 200; columns += 1) {
        const line = renderBar(reading({ name, files: { done: 3, total: 10_000 } }), columns);
        assert.ok(columns < 8 || displayWidth(line) <= columns, `${columns}: ${line}`);
        assert.doesNotMatch(line, /\p{Cc}/u);
      }
  });

  /** Shows a transfer of 100 of 400 MB, ten seconds after it began, and returns what was printed. */
  async function shown({ isInteractive = false, asJson = false, quiet = false }) {
    const written = { out: "", err: "" };
    let nowMs = 0;
    let doneBytes = 0;
    const timers: { readonly ms: number; run(): void }[] = [];
    const terminal = {
      isInteractive,
      columns: () => 40,
      onResize: () => () => undefined,
      async out(data: string | Uint8Array) {
        written.out += data;
      },
      async err(text: string) {
        written.err += text;
      },
    };
    const repeat: Repeat = (ms, run) => {
      timers.push({ ms, run });
      return () => void timers.splice(0);
    };
    const result = await showTransfer(
      { terminal, json: asJson ? createJsonOutput({}, terminal) : undefined, quiet, repeat, nowMs: () => nowMs },
      async ({ show, note, event }) => {
        show(() => state(doneBytes));
        nowMs = 10_000;
        doneBytes = 100 * MB;
        for (const timer of timers) timer.run();
        await note("One part was sent again.");
        await event({ type: "file", name: "x" });
        return timers.map(({ ms }) => ms);
      },
    );
    assert.equal(timers.length, 0, "nothing is shown afterwards");
    return { ...written, result };
  }

  it("shows a transfer as a bar, as plain lines every 10 seconds, or as events every second", async () => {
    const bar = await shown({ isInteractive: true });
    assert.equal(renderScreen(bar.err.replaceAll("\n", "\r\n"), 40), "One part was sent again.\n");
    assert.match(bar.err, /25% {2}10 MB\/s {2}30 s left/);
    assert.deepEqual([bar.out, bar.result], ["", [250]]);

    const plain = await shown({});
    assert.deepEqual(plain, {
      out: "",
      err: "Uploading a long name of a holiday video.mp4: 25%, 100 MB of 400 MB, 10 MB/s, 30 s left\nOne part was sent again.\n",
      result: [10_000],
    });

    for (const isInteractive of [true, false]) {
      const json = await shown({ asJson: true, isInteractive });
      assert.deepEqual([json.err, json.result], ["", [1000]]);
      const events = json.out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const [progress, file] = events;
      assert.deepEqual(progress, {
        type: "progress",
        name: "a long name of a holiday video.mp4",
        doneBytes: 100 * MB,
        totalBytes: 400 * MB,
        bytesPerSecond: 10 * MB,
        secondsLeft: 30,
      });
      assert.deepEqual([file, events.length], [{ type: "file", name: "x" }, 2]);
    }
    for (const isInteractive of [true, false])
      assert.deepEqual(await shown({ quiet: true, isInteractive }), { out: "", err: "", result: [] });
  });

  it("ends when nobody reads the events any more", async () => {
    const terminal = {
      isInteractive: false,
      columns: () => undefined,
      onResize: () => () => undefined,
      err: async () => undefined,
      out: async () => {
        throw new OutputClosed();
      },
    };
    const repeat: Repeat = (_ms, run) => {
      run();
      return () => undefined;
    };
    const endless = showTransfer({ terminal, json: createJsonOutput({}, terminal), quiet: false, repeat }, ({ show }) => {
      show(() => state(1));
      return new Promise<never>(() => undefined);
    });
    await assert.rejects(endless, OutputClosed);
  });

  it("formats durations", () => {
    assert.deepEqual([0, 400, 59_000, 61_000, 3_600_000, 7_500_000].map(formatShortDuration), [
      "0 s",
      "1 s",
      "59 s",
      "2 min",
      "1 h 0 min",
      "2 h 5 min",
    ]);
  });
});
