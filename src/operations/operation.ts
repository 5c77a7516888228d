import type { Call, Ctx } from "../context.ts";
import type { Input, OperationName, Output } from "../contract/index.ts";

/** How one operation of the contract is carried out. */
export type Operation<Name extends OperationName> = (ctx: Ctx, call: Call, input: Input<Name>) => Promise<Output<Name>>;

/** All of them: leaving one out is a compile error. */
export type Operations = { readonly [Name in OperationName]: Operation<Name> };
