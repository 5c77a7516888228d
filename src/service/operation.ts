import type { AdministratorCall, Ctx, RequestContext } from "../context.ts";
import type { Input, OperationName, Output } from "./contract.ts";

/** The function of one operation. The type is separate from `operations.ts`, which imports every operation, so that no import is circular. */
export type Operation<Name extends OperationName> = (ctx: Ctx, call: RequestContext, input: Input<Name>) => Promise<Output<Name>>;

/** The function of an operation for administrators, which commands on this machine also call. */
export type AdministratorOperation<Name extends OperationName> = (
  ctx: Ctx,
  call: AdministratorCall,
  input: Input<Name>,
) => Promise<Output<Name>>;

/** All functions; a missing one is a compile error. */
export type Operations = { readonly [Name in OperationName]: Operation<Name> };
