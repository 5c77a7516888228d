import { z } from "zod";
import { described } from "./scalars.ts";

/**
 * The place of an operation's output in its response: `data`, `data` with the same members beside it, or `data` and `file`. Without an envelope the
 * output is the response.
 */
export type Envelope = "data" | "merged" | "file";

/** The response that carries an output. */
export type Enveloped<Output, Kind extends Envelope> = [Kind] extends [never]
  ? Output
  : { readonly success: true; readonly data: Output } & (Kind extends "merged"
      ? Output
      : Kind extends "file"
        ? { readonly file: Output }
        : unknown);

interface EnvelopedDefinition {
  readonly envelope?: Envelope | undefined;
  readonly output: z.ZodType;
}

/** Returns the schema of an operation's response. */
export function responseSchema({ envelope, output }: EnvelopedDefinition): z.ZodType {
  const success = z.literal(true);
  if (envelope === "data") return z.object({ success, data: output });
  if (envelope === "file") return z.object({ success, file: described(output, "The same as data"), data: output });
  if (envelope !== "merged") return output;
  if (!(output instanceof z.ZodObject)) throw new Error("Only the members of an object can be merged into a response");
  return output.extend({ success, data: output });
}

/** Returns the output that a response contains. */
export const fromResponse = ({ envelope }: EnvelopedDefinition, response: unknown): unknown =>
  envelope === undefined ? response : (response as { readonly data: unknown }).data;

/** Wraps an output in its envelope. Throws if the output does not match the contract. */
export function toResponse(definition: EnvelopedDefinition, output: unknown): unknown {
  const data = definition.output.parse(output);
  const { envelope } = definition;
  if (envelope === "data") return { success: true, data };
  if (envelope === "file") return { success: true, file: data, data };
  return envelope === "merged" ? { ...(data as object), success: true, data } : data;
}
