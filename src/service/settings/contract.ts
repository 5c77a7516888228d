import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described } from "../../contract/scalars.ts";

const TIME = "2030-01-30T12:00:00Z";

const setting = z
  .object({
    name: described(z.string(), "The setting's name", "tiers.free.fileBytes"),
    value: described(z.string().nullable(), "The value in force, as text; of an image the name below /assets/; null: none", "2GB"),
    source: described(
      z.enum(["flag", "environment", "file", "database", "default"]),
      "Where it comes from; database: it was set while the server ran",
      "database",
    ),
    fixedBy: described(
      z.string().nullable(),
      "The flag or variable that the server was started with and that cannot be changed here; null: none",
    ),
    default: described(z.string().nullable(), "The value without any other; null: none", "5GB"),
    kind: described(
      z.enum(["choice", "switch", "text", "url", "contact", "color", "size", "count", "duration", "image"]),
      "How it is written: a size such as 2GB, a duration such as 7d, a switch on or off, an image in base64",
      "size",
    ),
    choices: described(z.array(z.string()).nullable(), "The values of a choice or a switch; null: any of its kind"),
    help: described(z.string(), "What it sets", "Largest file, tier free"),
    revision: described(z.int(), "The number of its last change; 0: never changed", 12),
    changedAt: described(dateTime.nullable(), "When it was last changed; null: never", TIME),
  })
  .meta({ id: "RunTimeSetting", description: "A setting that administrators can change while the server runs" });

const fixedSetting = z
  .object({
    name: described(z.string(), "Its name", "rates.signIns"),
    value: described(z.string(), "The value in force, as text", "50"),
    source: described(z.enum(["flag", "environment", "file", "default"]), "Where it comes from", "environment"),
    fixedBy: described(z.string().nullable(), "The flag or variable that sets it; null: none does", "FILEHOST_LIMITS"),
    variable: described(z.string(), "The variable with which it can be set", "FILEHOST_LIMITS"),
    default: described(z.string(), "The value without any other", "50"),
    windowSeconds: described(z.int().nullable(), "Of a rate: the time in which the value is the limit, seconds", 900),
    help: described(z.string(), "What it sets", "Attempts to sign in, from one address"),
  })
  .meta({ id: "FixedSetting", description: "A setting that only flags and the environment of the server set" });

const settings = z.object({
  revision: described(z.int(), "The number of the last change of any setting", 12),
  settings: described(z.array(setting), "All settings that can be changed, in the order of their documentation"),
  fixed: described(z.array(fixedSetting), "What only flags and the environment of the server set: limits that cannot be changed"),
});

/** administration, "Settings". */
export const settingsContract = {
  getSettings: defineOperation({
    summary: "List the settings that can be changed while the server runs",
    description: "And in `fixed` what only flags and the environment of the server set.",
    tag: "Administration",
    method: "GET",
    path: "/admin/settings",
    access: "admin",
    isCompressed: true,
    input: () => z.object({}),
    envelope: "data",
    output: () => settings,
    errors: {},
  }),
  updateSettings: defineOperation({
    summary: "Change settings while the server runs",
    description:
      "All of them or none. This server instance applies them immediately, others on the same database within two seconds. " +
      "A setting of the server's environment or flags cannot be changed.",
    tag: "Administration",
    method: "PATCH",
    path: "/admin/settings",
    access: "admin",
    input: () =>
      z.object({
        settings: described(
          z.record(
            z.string(),
            z.union([z.string(), z.number(), z.boolean(), z.null()], "give a text, a number, true, false or null"),
            "give the values by the names of the settings",
          ),
          "The new values by the names of the settings; null: back to the default. An image in base64, or as a data: URL",
          { "tiers.free.fileBytes": "2GB" },
        ),
        revision: described(
          z.int().optional(),
          "The `revision` as the caller knows it; 409 if one of these settings was changed since. Default: change them anyway",
          12,
        ),
      }),
    example: { settings: { signup: "invite", "tiers.free.fileBytes": "2GB" } },
    envelope: "data",
    output: () => settings,
    errors: {
      400: "A name or a value is not valid",
      409: "The environment or a flag fixes one of them, or it was changed since `revision`: then `setting` has its present value",
    },
  }),
} as const;
