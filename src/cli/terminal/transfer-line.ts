import { displayWidth, shortenMiddle } from "../../lib/text/display-width.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import type { Speed } from "./rate-meter.ts";
import { formatShortDuration, toPlain } from "./text.ts";

/** The progress of a transfer. */
export interface TransferState {
  /** The action in progress: `Uploading`, `Downloading`. */
  readonly action: string;
  /** The name of the file or the share. */
  readonly name: string;
  readonly doneBytes: number;
  /** The size; undefined until it is known. */
  readonly totalBytes: number | undefined;
  readonly files?: { readonly done: number; readonly total: number };
  /** The reason of a wait, such as `waiting for the connection`, which is shown instead of the speed. */
  readonly waiting?: string;
}

interface Reading {
  readonly state: TransferState;
  readonly speed: Speed;
}

const MIN_NAME = 8;
const BAR = { min: 9, max: 40 };
const GAP = "  ";

/** Renders one line: the name, a bar, and as many facts as fit. */
export function renderBar(reading: Reading, columns: number): string {
  const { name, doneBytes, totalBytes } = reading.state;
  const percent = percentOf(reading.state);
  const facts = factsThatFit([...(percent === undefined ? [] : [`${String(percent).padStart(3)}%`]), ...factsOf(reading)], columns);
  const beside = facts.length === 0 ? 0 : displayWidth(facts.join(GAP)) + GAP.length;
  const title = toPlain(name);
  const barRoom = columns - beside - Math.min(displayWidth(title), Math.max(MIN_NAME, Math.floor(columns / 4))) - GAP.length;
  const bar = totalBytes === undefined || barRoom < BAR.min ? "" : drawBar(Math.min(BAR.max, barRoom), doneBytes, totalBytes);
  const titleRoom = Math.max(0, columns - beside - (bar === "" ? 0 : bar.length + GAP.length));
  return [shortenMiddle(title, titleRoom), ...(bar === "" ? [] : [bar]), ...facts].filter((part) => part !== "").join(GAP);
}

/** Describes a transfer: `Uploading video.mp4: 42%, 430 MB of 1 GB, 80 MB/s, 8 s left`. */
export function describeTransfer(reading: Reading): string {
  const { action, name } = reading.state;
  const percent = percentOf(reading.state);
  return `${action} ${name}: ${[...(percent === undefined ? [] : [`${percent}%`]), ...factsOf(reading)].join(", ")}`;
}

/** Returns the progress event for programs. */
export function toProgressEvent({ state, speed }: Reading) {
  return {
    type: "progress",
    name: state.name,
    doneBytes: state.doneBytes,
    totalBytes: state.totalBytes ?? null,
    ...(state.files && { doneFiles: state.files.done, totalFiles: state.files.total }),
    bytesPerSecond: Math.round(speed.bytesPerSecond),
    secondsLeft: speed.msLeft === undefined ? null : Math.ceil(speed.msLeft / 1000),
    ...(state.waiting !== undefined && { waiting: state.waiting }),
  };
}

function percentOf({ doneBytes, totalBytes }: TransferState): number | undefined {
  if (totalBytes === undefined) return undefined;
  return totalBytes === 0 ? 100 : Math.min(100, Math.floor((doneBytes / totalBytes) * 100));
}

/** Lists the facts, with the most important ones last. */
function factsOf({ state: { doneBytes, totalBytes, files, waiting }, speed }: Reading): string[] {
  return [
    ...(files === undefined ? [] : [`${files.done} of ${files.total} files`]),
    totalBytes === undefined ? formatSize(doneBytes) : `${formatSize(doneBytes)} of ${formatSize(totalBytes)}`,
    waiting ?? `${formatSize(speed.bytesPerSecond)}/s`,
    ...(waiting === undefined && speed.msLeft !== undefined ? [`${formatShortDuration(speed.msLeft)} left`] : []),
  ];
}

/** Drops facts from the second one on until a name fits. The percentage and the remaining time are dropped last. */
function factsThatFit(facts: readonly string[], columns: number): readonly string[] {
  if (facts.length === 0 || displayWidth(facts.join(GAP)) + GAP.length + MIN_NAME <= columns) return facts;
  return factsThatFit(facts.length > 1 ? facts.toSpliced(1, 1) : [], columns);
}

function drawBar(columns: number, done: number, total: number): string {
  const room = columns - 2;
  const filled = total === 0 ? room : Math.min(room, Math.floor((done / total) * room));
  return `[${"#".repeat(filled)}${"-".repeat(room - filled)}]`;
}
