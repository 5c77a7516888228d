import { AppError } from "../errors.ts";
import type { Terminal } from "./command.ts";

const MAX_CHARACTERS = 10_000;
const [CTRL_C, CTRL_D, BACKSPACE, DELETE] = ["\x03", "\x04", "\b", "\x7f"];

/** Whether a person can be asked: standard input is a terminal. */
export const canAsk = (): boolean => process.stdin.isTTY === true;

/**
 * Reads a secret: the line that a person types, without showing it, or all of standard input if that is no terminal. Throws VALIDATION_FAILED if it is
 * too long. Ctrl-C ends the process with 130.
 */
export async function readSecret({ err }: Pick<Terminal, "err">, question: string): Promise<string> {
  if (!canAsk()) return await readAll();
  await err(question);
  const { stdin } = process;
  stdin.setRawMode(true);
  try {
    return await readLine();
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    await err("\n");
  }
}

async function readLine(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let line = "";
  const onData = (chunk: Buffer | string): void => {
    for (const character of String(chunk)) {
      if (character === CTRL_C) {
        process.stdin.setRawMode(false);
        process.exit(130);
      }
      if (isEnd(character)) {
        resolve(line);
        return;
      }
      if (character === BACKSPACE || character === DELETE) line = [...line].slice(0, -1).join("");
      else line = (line + character).slice(0, MAX_CHARACTERS);
    }
  };
  process.stdin.on("data", onData);
  process.stdin.once("end", () => resolve(line));
  try {
    return await promise;
  } finally {
    process.stdin.off("data", onData);
  }
}

const isEnd = (character: string): boolean => character === "\r" || character === "\n" || character === CTRL_D;

async function readAll(): Promise<string> {
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.length > MAX_CHARACTERS) throw new AppError("VALIDATION_FAILED", "Standard input has more than a key. Pass the key alone.");
  }
  return text;
}
