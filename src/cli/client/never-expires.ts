import { AppError } from "../../errors.ts";
import type { CommandClient } from "../options/client-options.ts";

/**
 * Resolves `--expires never`. Only a public share is kept forever; another share of a Pro account never expires if no expiry is chosen (expiry,
 * "How long a share is kept"). Throws PRO_REQUIRED without Pro.
 */
export async function resolveNever<Fields extends { readonly retention?: unknown; readonly visibility?: unknown }>(
  { api, hasKey }: Pick<CommandClient, "api" | "hasKey">,
  fields: Fields,
): Promise<Omit<Fields, "retention">> {
  if (fields.retention !== "forever" || fields.visibility === "public") return fields;
  const tier = hasKey ? (await api.call("getMe", {})).tier : "anonymous";
  if (tier !== "pro")
    throw new AppError("PRO_REQUIRED", "Only a Pro account has shares that never expire. Choose a time with --expires, or leave it out.");
  const { retention: _, ...others } = fields;
  return others;
}
