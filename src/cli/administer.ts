import type { z } from "zod";
import type { AdministratorCall, Ctx } from "../context.ts";
import type { OperationDefinition } from "../contract/operation.ts";
import { THIS_MACHINE } from "../service/accounts/administrator.ts";
import { parseOperationInput } from "../service/parse-input.ts";

/**
 * Calls an operation of administrators as the administrator of this machine: without key and rate limits, with the checks of the fields. The definition
 * and the function are passed, so that a command loads no other operation. Throws AppErrors.
 */
export async function administer<Input extends z.ZodObject, Output extends z.ZodType>(
  ctx: Ctx,
  [definition, operation]: readonly [
    OperationDefinition<Input, Output>,
    (ctx: Ctx, call: AdministratorCall, input: z.infer<Input>) => Promise<z.infer<Output>>,
  ],
  fields: z.input<Input>,
): Promise<z.infer<Output>> {
  return await operation(ctx, THIS_MACHINE, parseOperationInput(definition, fields) as z.infer<Input>);
}
