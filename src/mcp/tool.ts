import { z } from "zod";
import { type Json, toJsonSchema, withoutMarks } from "../contract/json-schema.ts";
import { type Access, isWrite, type OperationDefinition, requiredScope } from "../contract/operation.ts";
import { AppError } from "../errors.ts";
import type { Challenge } from "../lib/secrets/solve-challenge.ts";
import { didYouMean } from "../lib/text/suggestions.ts";
import type { Scope } from "../service/accounts/actor.ts";
import { definitionOf, type OperationName, type Output, type RequestInput } from "../service/contract.ts";
import { parseInput } from "../service/parse-input.ts";
import type { Api } from "./api.ts";
import type { FindRoots } from "./client-roots.ts";
import type { WithUnlockCode } from "./unlock-code.ts";

/** The prefix of all tools, which distinguishes them from tools of other servers (mcp, "Tools"). */
const PREFIX = "service_";

/** The environment of one run of a tool. */
export interface ToolRun {
  readonly api: Api;
  /** Aborts when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Sends `notifications/progress`, if the client requested it. `done` grows; `total` is undefined while it is unknown. */
  reportProgress(progress: { readonly done: number; readonly total?: number | undefined; readonly message: string }): void;
  /** Finds the nonce of a challenge, which uses processor time. Rejects with RATE_LIMITED or UNAVAILABLE if it is temporarily impossible. */
  solve(challenge: Challenge, signal: AbortSignal): Promise<string>;
  /** Runs work that may need an unlock code. The client asks its person for the code if it can. */
  readonly withUnlockCode: WithUnlockCode;
  readonly findRoots: FindRoots;
  /** Whether calls already have a key. */
  readonly hasKey: boolean;
  /** Keeps an agent's key, and resolves to the duration, such as "until …". Undefined if it cannot be kept, so that the caller must keep it. */
  keepKey(key: string): Promise<string | undefined>;
}

export interface ToolResult {
  /** The result, which matches the tool's output schema. */
  readonly data: object;
  /** Advice about the next step, in a sentence or two. Contains no text of users, such as file names. */
  readonly next: string;
}

/** Hints for clients that ask a person before they call a tool. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** The description of a tool in `tools/list`. */
export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [member: string]: unknown };
  readonly outputSchema: { readonly type: "object"; readonly [member: string]: unknown };
  readonly annotations: ToolAnnotations;
}

/** Features that a server may lack. A tool that needs one is then useless to guests. */
export type GuestFeature = "payments" | "upgradePage";

export interface Tool {
  readonly description: ToolDescription;
  /** The access of the tool, as of an operation. */
  readonly access: Access;
  /** Returns the scope that a caller with a key needs for these arguments; undefined for any scope. */
  scopeOf(args: ToolArguments): Scope | undefined;
  /** Whether callers without a key have the tool. */
  readonly isForGuests: boolean;
  /** The feature without which the tool would refuse every guest; undefined for none. */
  readonly guestsNeed: GuestFeature | undefined;
  /** Whether a call may take minutes, so that its response begins before its result. */
  readonly mayTakeLong: boolean;
  /** Whether the tool may ask the client's person. */
  readonly mayAsk: boolean;
  /** Runs the tool with the arguments that the client sent. Rejects with an AppError. */
  run(run: ToolRun, args: ToolArguments): Promise<ToolResult>;
}

interface ToolDefinition<Input extends z.ZodObject> {
  /** The tool's name without the prefix. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly access: Access;
  /** Returns the scope for these arguments; default: the scope of all calls. */
  scopeOf?(args: ToolArguments): Scope | undefined;
  readonly isForGuests?: boolean;
  readonly guestsNeed?: GuestFeature;
  readonly mayTakeLong?: boolean;
  readonly mayAsk?: boolean;
  readonly annotations: Partial<ToolAnnotations>;
  readonly input: Input;
  readonly output: z.ZodType;
  /** Runs the tool. `sent` has the unparsed arguments, for operations, which parse their fields. */
  run(run: ToolRun, input: z.infer<Input>, sent: ToolArguments): Promise<ToolResult>;
}

export type ToolArguments = Readonly<Record<string, unknown>>;

export function defineTool<Input extends z.ZodObject>({ run, ...definition }: ToolDefinition<Input>): Tool {
  const { access, annotations, scopeOf = () => toScope({ access, method: annotations.readOnlyHint ? "GET" : "POST" }) } = definition;
  return { ...describeTool(definition), scopeOf, run: async (call, args) => await run(call, parseInput(definition.input, args), args) };
}

/** Replaces a reference at the root of a schema by its definition, because converters for other models do not support one there. */
function withoutRootReference({ $ref, $defs, ...schema }: Json): Json {
  const { [String($ref).replace("#/$defs/", "")]: root, ...others } = ($defs ?? {}) as Record<string, Json>;
  if (root === undefined) return { ...schema, ...($defs !== undefined && { $defs }) };
  return { ...root, ...schema, ...(Object.keys(others).length > 0 && { $defs: others }) };
}

/** Returns the scope of an operation. No tool administers. */
function toScope(definition: Pick<OperationDefinition, "access" | "method">): Scope | undefined {
  const scope = requiredScope(definition);
  return scope === "admin" ? undefined : scope;
}

type DescribedTool = Pick<Tool, "description" | "access" | "isForGuests" | "guestsNeed" | "mayTakeLong" | "mayAsk">;

function describeTool(definition: Omit<ToolDefinition<z.ZodObject>, "run">): DescribedTool {
  const {
    name,
    title,
    description,
    input,
    output,
    access,
    isForGuests = false,
    guestsNeed,
    mayTakeLong = false,
    mayAsk = false,
    annotations,
  } = definition;
  return {
    description: {
      name: PREFIX + name,
      title,
      description,
      inputSchema: { ...toJsonSchema(input, "input"), type: "object", additionalProperties: false },
      outputSchema: { ...withoutMarks(withoutRootReference(toJsonSchema(output, "output"))), type: "object" },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true, ...annotations },
    },
    access,
    isForGuests,
    guestsNeed,
    mayTakeLong,
    mayAsk,
  };
}

interface OperationToolDefinition<Name extends OperationName> {
  readonly name: string;
  readonly title: string;
  readonly operation: Name;
  /** A sentence for models that the contract's text lacks. */
  readonly hint?: string;
  readonly isForGuests?: boolean;
  readonly guestsNeed?: GuestFeature;
  readonly annotations?: Partial<ToolAnnotations>;
  next(output: Output<Name>): string;
}

/** Makes a tool of one operation, with the input, output and description of the contract. */
export function operationTool<Name extends OperationName>(tool: OperationToolDefinition<Name>): Tool {
  const { name, title, operation, hint, isForGuests, guestsNeed, annotations, next } = tool;
  const definition = definitionOf(operation);
  const described = describeTool({
    name,
    title,
    description: toDescription(definition, hint),
    access: definition.access,
    isForGuests,
    ...(guestsNeed !== undefined && { guestsNeed }),
    annotations: {
      readOnlyHint: !isWrite(definition) && definition.counts !== true,
      destructiveHint: definition.method === "DELETE",
      idempotentHint: definition.repeatable === true || definition.method === "DELETE" || !isWrite(definition),
      openWorldHint: false,
      ...annotations,
    },
    input: definition.input,
    output: toObject(definition.output),
  });
  return {
    ...described,
    scopeOf: () => toScope(definition),
    // The operation parses its fields, and ignores some of them.
    async run({ api }, sent) {
      const output = await api.call(operation, sent as RequestInput<Name>);
      return { data: wrap(definition.output, output), next: next(output) };
    },
  };
}

/**
 * Refuses arguments that the tool does not have. Otherwise a model would believe, for example, that a file has the password that it sent. Ignores
 * null. Throws VALIDATION_FAILED.
 */
export function checkFields({ inputSchema }: ToolDescription, args: ToolArguments): void {
  const known = Object.keys(inputSchema.properties ?? {});
  const issues = Object.entries(args)
    .filter(([name, value]) => value !== null && !known.includes(name))
    .map(([name]) => ({ path: name.slice(0, 100), message: describeUnknown(name.slice(0, 100), known) }));
  const [first] = issues;
  if (first === undefined) return;
  const all = known.length === 0 ? "It has no fields." : `Its fields are ${known.join(", ")}.`;
  throw new AppError("VALIDATION_FAILED", `${JSON.stringify(first.path)} ${first.message} ${all}`, {
    fields: { issues: issues.slice(0, 20) },
  });
}

const describeUnknown = (name: string, known: readonly string[]): string =>
  name === "path"
    ? "is a field of `filehost mcp` alone, which runs on your machine."
    : `is no field of this tool.${didYouMean(name, known)}`;

/** Joins the contract's summary and description and the tool's hint as sentences. */
export const toDescription = ({ summary, description }: Pick<OperationDefinition, "summary" | "description">, hint?: string): string =>
  [`${summary}.`, description, hint].filter((sentence) => sentence !== undefined).join(" ");

/** Converts an output to one object, because a tool returns one. For several possible objects, it has the members of all. */
function toObject(output: z.ZodType): z.ZodType {
  if (output instanceof z.ZodObject) return output;
  if (!isUnionOfObjects(output)) return z.object({ data: output });
  const shapes = output.options.map(({ shape }) => shape);
  const names = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  return z.object(Object.fromEntries([...names].map((name) => [name, toMember(shapes.map((shape) => shape[name]))])));
}

/** Joins the types of a member. It is optional if some of the objects do not have it. */
function toMember(types: readonly (z.ZodType | undefined)[]): z.ZodType {
  const known = types.filter((type) => type !== undefined);
  const [first = z.unknown()] = known;
  const type = new Set(known).size > 1 ? z.union(known) : first;
  return known.length < types.length ? type.optional() : type;
}

const isUnionOfObjects = (output: z.ZodType): output is z.ZodUnion<readonly z.ZodObject[]> =>
  output instanceof z.ZodUnion && output.options.every((option) => option instanceof z.ZodObject);

const wrap = (schema: z.ZodType, output: unknown): object =>
  schema instanceof z.ZodObject || isUnionOfObjects(schema) ? (output as object) : { data: output };
