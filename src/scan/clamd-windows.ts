import type { ClamdLink } from "./clamd-connection.ts";
import { type ClamdStream, openStream, type StreamOutcome } from "./clamd-stream.ts";
import { createFeed, type Feed } from "./feed.ts";
import type { ScanSource, Verdict } from "./scanner.ts";
import { createTail, type Tail } from "./tail.ts";
import type { WindowLimit } from "./window-limit.ts";

export interface WindowsOptions {
  readonly link: ClamdLink;
  readonly limit: WindowLimit;
  readonly overlapBytes: number;
  readonly oversize: "windows" | "block";
}

/** Sends a source to clamd in as many windows as it takes, one after the other (decisions, "Scanning"); the promises of `Scanner.scan`. */
export async function scanWindows(source: ScanSource, sizeBytes: number, options: WindowsOptions): Promise<Verdict> {
  const feed = createFeed(source);
  try {
    const verdict = await judge(feed, sizeBytes, options);
    await feed.drain();
    if (verdict.kind !== "clean" || feed.passedBytes === sizeBytes) return verdict;
    return { kind: "failed", reason: `${feed.passedBytes} bytes came where ${sizeBytes} were announced` };
  } finally {
    await feed.close();
  }
}

/** Reads the body without looking at it, where there is nobody to show it to. */
export async function drainSource(source: ScanSource): Promise<void> {
  const feed = createFeed(source);
  try {
    await feed.drain();
  } finally {
    await feed.close();
  }
}

async function judge(feed: Feed, sizeBytes: number, { link, limit, overlapBytes, oversize }: WindowsOptions): Promise<Verdict> {
  const tail = createTail(overlapBytes);
  let windowBytes = await limit.current();
  let start = 0;
  let pace: "eager" | "careful" = "eager";
  const restart = async () => {
    tail.clear();
    await feed.rewind(start);
  };

  for (;;) {
    if (oversize === "block" && sizeBytes > windowBytes) {
      return { kind: "failed", reason: `larger than the ${windowBytes} bytes that the scanner takes at once` };
    }
    const lengthBytes = Math.min(windowBytes, sizeBytes - start);
    const outcome = await sendWindow(await openStream(link, lengthBytes, pace), feed, tail, lengthBytes);
    const coverage = sizeBytes > windowBytes ? "windowed" : "whole";
    switch (outcome.kind) {
      case "clean":
        if (start + lengthBytes >= sizeBytes) return { kind: "clean", coverage };
        start += lengthBytes - overlapBytes;
        pace = "eager";
        tail.turn();
        break;
      case "found":
        return { kind: "infected", signature: outcome.signature, coverage };
      case "refused": {
        const smaller = await limit.shrink(windowBytes);
        if (smaller === undefined) return { kind: "failed", reason: `clamd refuses even ${windowBytes} bytes: raise StreamMaxLength` };
        windowBytes = smaller;
        await restart();
        break;
      }
      case "lost":
        if (pace === "careful") return { kind: "unreachable", reason: outcome.reason };
        pace = "careful";
        await restart();
        break;
      case "failed":
      case "unreachable":
        return outcome;
    }
  }
}

async function sendWindow(stream: ClamdStream, feed: Feed, tail: Tail, lengthBytes: number): Promise<StreamOutcome> {
  try {
    let sent = 0;
    const send = (bytes: Uint8Array) => {
      tail.record(bytes, sent, lengthBytes);
      sent += bytes.length;
      return stream.write(bytes);
    };
    let open = tail.bytes.length === 0 || (await send(tail.bytes));
    while (open && sent < lengthBytes) {
      const bytes = await feed.next(lengthBytes - sent);
      if (!bytes) return { kind: "failed", reason: `the bytes ended ${lengthBytes - sent} before what was announced` };
      open = await send(bytes);
    }
    return await stream.finish();
  } finally {
    stream.close();
  }
}
