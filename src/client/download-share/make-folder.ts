import { lstat, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError, systemCode } from "../../errors.ts";

/** Makes a folder below another one. Throws FORBIDDEN if a symbolic link would lead outside. */
export async function makeFolder(base: string, folder: string): Promise<void> {
  if (folder === base) return;
  await makeFolder(base, dirname(folder));
  try {
    await mkdir(folder);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    const found = await lstat(folder);
    if (found.isSymbolicLink())
      throw new AppError("FORBIDDEN", `${folder} is a symbolic link, which is not followed. Remove it, or save elsewhere.`);
    if (!found.isDirectory())
      throw new AppError("CONFLICT", `${folder} is a file where the shipment has a folder. Move it, or save elsewhere.`);
  }
}
