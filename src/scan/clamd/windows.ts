import type { ScanSource, Verdict } from "../scanner.ts";
import type { ClamdTarget } from "./connection.ts";
import { createOverlapBuffer, type OverlapBuffer } from "./overlap-buffer.ts";
import { createRewindableReader, type RewindableReader } from "./rewindable-reader.ts";
import { type ClamdStream, openStream, type StreamOutcome } from "./stream.ts";
import type { WindowSize } from "./window-size.ts";

export interface WindowsOptions {
  readonly target: ClamdTarget;
  readonly windowSize: WindowSize;
  readonly overlapBytes: number;
  readonly oversize: "windows" | "block";
}

/** Sends a source to clamd in as many windows as needed, in sequence (scanning, "Coverage"). Has the promises of `Scanner.scan`. */
export async function scanWindows(source: ScanSource, sizeBytes: number, options: WindowsOptions): Promise<Verdict> {
  const reader = createRewindableReader(source);
  try {
    const verdict = await scanReader(source, reader, sizeBytes, options);
    await reader.drain();
    if (verdict.kind !== "clean" || reader.readBytes === sizeBytes) return verdict;
    return { kind: "failed", reason: `${reader.readBytes} bytes were read instead of ${sizeBytes}` };
  } finally {
    await reader.close();
  }
}

/** Reads the body without scanning it. */
export async function drainSource(source: ScanSource): Promise<void> {
  const reader = createRewindableReader(source);
  try {
    await reader.drain();
  } finally {
    await reader.close();
  }
}

async function scanReader(
  source: ScanSource,
  reader: RewindableReader,
  sizeBytes: number,
  { target, windowSize, overlapBytes, oversize }: WindowsOptions,
): Promise<Verdict> {
  const overlap = createOverlapBuffer(overlapBytes);
  let windowBytes = await windowSize.current();
  let start = 0;
  let mode: "eager" | "careful" = "eager";
  const restart = async () => {
    overlap.clear();
    await reader.rewind(start);
  };

  for (;;) {
    if (oversize === "block" && sizeBytes > windowBytes) {
      return { kind: "failed", reason: `larger than the ${windowBytes} bytes that clamd accepts` };
    }
    const lengthBytes = Math.min(windowBytes, sizeBytes - start);
    await source.whenReadable?.(start + lengthBytes);
    const outcome = await sendWindow(await openStream(target, lengthBytes, mode), reader, overlap, lengthBytes);
    const coverage = sizeBytes > windowBytes ? "windowed" : "whole";
    switch (outcome.kind) {
      case "clean":
        if (start + lengthBytes >= sizeBytes) return { kind: "clean", coverage };
        start += lengthBytes - overlapBytes;
        mode = "eager";
        overlap.endWindow();
        break;
      case "found":
        return { kind: "infected", signature: outcome.signature, coverage };
      case "refused": {
        const smaller = await windowSize.shrink(windowBytes);
        if (smaller === undefined) return { kind: "failed", reason: `clamd rejects ${windowBytes} bytes: increase StreamMaxLength` };
        windowBytes = smaller;
        await restart();
        break;
      }
      case "lost":
        if (mode === "careful") return { kind: "unreachable", reason: outcome.reason };
        mode = "careful";
        await restart();
        break;
      case "failed":
      case "unreachable":
        return outcome;
    }
  }
}

async function sendWindow(
  stream: ClamdStream,
  reader: RewindableReader,
  overlap: OverlapBuffer,
  lengthBytes: number,
): Promise<StreamOutcome> {
  try {
    let sent = 0;
    const send = (bytes: Uint8Array) => {
      overlap.record(bytes, sent, lengthBytes);
      sent += bytes.length;
      return stream.write(bytes);
    };
    let open = overlap.bytes.length === 0 || (await send(overlap.bytes));
    while (open && sent < lengthBytes) {
      const bytes = await reader.next(lengthBytes - sent);
      if (!bytes) return { kind: "failed", reason: `${lengthBytes - sent} bytes are missing at the end` };
      open = await send(bytes);
    }
    return await stream.finish();
  } finally {
    stream.close();
  }
}
