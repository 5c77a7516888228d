import { open } from "node:fs/promises";
import type { ExecutableFormat } from "./targets.ts";

const HEAD_BYTES = 64 * 1024;
const PROGRAM_INTERPRETER = 3;

/** The numbers of processors in the headers. */
const ELF_MACHINES: Readonly<Record<number, ExecutableFormat["arch"]>> = { 62: "x64", 183: "arm64" };
const MACH_O_CPUS: Readonly<Record<number, ExecutableFormat["arch"]>> = { 16777223: "x64", 16777228: "arm64" };
const PE_MACHINES: Readonly<Record<number, ExecutableFormat["arch"]>> = { 34404: "x64", 43620: "arm64" };

/** Throws if the executable's header is not of this format. */
export async function checkFormat(path: string, expected: ExecutableFormat): Promise<void> {
  const format = await readFormat(path);
  if (!Bun.deepEquals(format, expected)) throw new Error(`${path} is ${JSON.stringify(format)} instead of ${JSON.stringify(expected)}.`);
}

/** Reads the format from a file's header. Throws if filehost is not built for it. */
export async function readFormat(path: string): Promise<ExecutableFormat> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return parseFormat(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

function parseFormat(head: Buffer): ExecutableFormat {
  // Bytes 4 and 5 mark a 64-bit little-endian ELF file.
  if (head.readUInt32BE(0) === 0x7f454c46 && head[4] === 2 && head[5] === 1) {
    return { kind: "ELF", arch: archOf(ELF_MACHINES, head.readUInt16LE(18)), loader: readLoader(head) };
  }
  if (head.readUInt32LE(0) === 0xfeedfacf) return { kind: "Mach-O", arch: archOf(MACH_O_CPUS, head.readUInt32LE(4)) };
  if (head.toString("latin1", 0, 2) === "MZ") {
    const at = head.readUInt32LE(60);
    if (head.toString("latin1", at, at + 4) === "PE\0\0") return { kind: "PE", arch: archOf(PE_MACHINES, head.readUInt16LE(at + 4)) };
  }
  throw new Error("The file has no header of a 64-bit executable.");
}

/** Reads the path in the segment PT_INTERP. */
function readLoader(head: Buffer): string {
  const table = Number(head.readBigUInt64LE(32));
  const entryBytes = head.readUInt16LE(54);
  const entries = Array.from({ length: head.readUInt16LE(56) }, (_, index) => table + index * entryBytes);
  const entry = entries.find((at) => head.readUInt32LE(at) === PROGRAM_INTERPRETER);
  if (entry === undefined) throw new Error("The file names no loader.");
  const start = Number(head.readBigUInt64LE(entry + 8));
  return head.toString("latin1", start, head.indexOf(0, start));
}

function archOf(machines: Readonly<Record<number, ExecutableFormat["arch"]>>, machine: number): ExecutableFormat["arch"] {
  const arch = machines[machine];
  if (arch === undefined) throw new Error(`The file is for the unknown processor ${machine}.`);
  return arch;
}
