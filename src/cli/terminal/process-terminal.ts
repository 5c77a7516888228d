import type { ReadStream } from "node:tty";
import { AppError, systemCode } from "../../errors.ts";
import { explainSystemCode } from "../../lib/system/system-reasons.ts";
import type { Terminal } from "../command.ts";
import { OutputClosed } from "../failure.ts";
import { wasOutputClosed } from "./closed-output.ts";
import { createQuestions } from "./questions.ts";

/** Creates a terminal of this process's terminal or pipes. */
export function createProcessTerminal(env: Terminal["env"]): Terminal {
  const { stdin, stdout, stderr } = process;
  for (const stream of [stdout, stderr]) stream.on("error", () => {});
  const isDumb = env.TERM === "dumb";
  const mayColour = !isDumb && !env.NO_COLOR;
  const isInputTerminal = stdin.isTTY === true;
  const canAsk = isInputTerminal && stderr.isTTY === true;
  const sized = stderr.isTTY ? stderr : stdout.isTTY ? stdout : undefined;
  const questions = createQuestions(stdin as ReadStream, (text) => write(stderr, text));
  return {
    env,
    isInteractive: stderr.isTTY === true && !isDumb,
    isOutputTerminal: stdout.isTTY === true,
    isInputTerminal,
    canAsk,
    hasColours: { out: stdout.isTTY === true && mayColour, err: stderr.isTTY === true && mayColour },
    async out(data) {
      if (data.length > 0 && wasOutputClosed()) throw outputLost("standard output is closed. Choose a file or a program for it.");
      const error = await write(stdout, data);
      if (error) throw toOutputError(error);
    },
    async err(text) {
      await write(stderr, text);
    },
    input: () => stdin,
    // A terminal that does not know its width reports 0.
    columns: () => sized?.columns || undefined,
    onResize(listener) {
      sized?.on("resize", listener);
      return () => void sized?.off("resize", listener);
    },
    async ask(question) {
      if (!canAsk) throw nobodyAnswers(question);
      return await questions.ask(question);
    },
    async askSecret(question) {
      if (!canAsk) throw nobodyAnswers(question);
      return await questions.askSecret(question);
    },
    async confirm(question) {
      if (!canAsk) throw nobodyAnswers(question);
      return /^y(es)?$/i.test((await questions.ask(`${question} [y/N] `)).trim());
    },
  };
}

const nobodyAnswers = (question: string): AppError =>
  new AppError(
    "VALIDATION_FAILED",
    `"${question.trim()}" needs an answer. Run the command in a terminal, or pass the answer as an option.`,
  );

/** Writes data. Resolves when it is written, or to the error. */
const write = (stream: NodeJS.WriteStream, data: string | Uint8Array): Promise<Error | null | undefined> =>
  new Promise((resolve) => stream.write(data, resolve));

/** Error codes of the system or the stream for a closed pipe, socket or terminal. */
const CLOSED_CODES: readonly (string | undefined)[] = ["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"];

const outputLost = (reason: string): AppError => new AppError("STORAGE_FULL", `Not all output could be written: ${reason}`);

/** Returns OutputClosed, or an error that says that the output is lost. */
function toOutputError(error: Error): Error {
  const code = systemCode(error);
  if (CLOSED_CODES.includes(code)) return new OutputClosed();
  const reason = explainSystemCode(code) ?? `it failed${code === undefined ? "" : ` (${code})`}. Choose another file or program for it.`;
  return outputLost(reason);
}
