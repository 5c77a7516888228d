import { contract } from "../../service/contract.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { checkFileName } from "../options/file-name.ts";
import { fromContract } from "../options/from-contract.ts";
import { PUBLISH_OPTIONS, readPublishFields } from "../options/publish-options.ts";
import { noSettings, REQUEST_OPTIONS, readRequest } from "../options/request-options.ts";
import { readSharePassword, SHARE_PASSWORD_OPTIONS } from "../options/share-password.ts";
import { toPlain } from "../terminal/text.ts";

const named = fromContract(contract.initImport.input.shape, ["fileName"]);
const HELP = "filehost import --help";

export const importFiles = defineCommand({
  details:
    "Each URL becomes a share, or with --request a file that you send to somebody. The server fetches the files itself: Ctrl-C ends the command, and the imports continue. Each has an ID, by which filehost import ID follows it again.",
  args: { SOURCE: { many: true, help: "Public http or https URLs of files, or IDs of imports that were started before" } },
  options: {
    ...PUBLISH_OPTIONS,
    ...SHARE_PASSWORD_OPTIONS,
    ...named.options,
    ...REQUEST_OPTIONS,
    "no-wait": { kind: "flag", help: "Print the IDs of the imports, and do not wait for them" },
    cancel: { kind: "flag", help: "Cancel the imports with these IDs" },
    ...CLIENT_OPTIONS,
  },
  settings: [],
  jsonLines: true,
  examples: [
    "filehost import https://example.org/report.pdf --expires 7d",
    "filehost import https://example.org/video.mp4 --no-wait",
    "filehost import https://example.org/report.pdf --request https://files.example.org/r/3hT8nQ9kWm2X --sender-name Ada",
    "filehost import 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
    "filehost import 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e --cancel",
  ],
  async run({ args: { SOURCE: names }, options, terminal, json }) {
    const password = await readSharePassword(options, terminal);
    const fields = { ...readPublishFields("import", options), ...named.read("import", options), ...password };
    if (fields.fileName !== undefined && names.length > 1) throw new UsageError("--file-name is for one URL.", HELP);
    checkFileName({ command: "import", option: "file-name", name: fields.fileName });
    const { isUuid } = await import("../../client/shares/subject.ts");
    const ids = names.filter(isUuid);
    const wrong = names.find((name) => !isUuid(name) && !/^https?:$/.test(URL.parse(name)?.protocol ?? ""));
    if (wrong !== undefined)
      throw new UsageError(
        `"${toPlain(wrong)}" is not an http or https URL, such as https://example.org/report.pdf, nor the ID of an import.`,
        HELP,
      );
    if (ids.length > 0 && ids.length < names.length) throw new UsageError("Pass URLs or the IDs of imports, not both.", HELP);
    if (options.cancel && ids.length === 0) throw new UsageError("--cancel is for the IDs of imports.", HELP);
    const request = readRequest("import", options);
    const settings = Object.keys(fields).filter((name) => name !== "fileName").length + (options.folder === undefined ? 0 : 1);
    if (request && settings > 0) throw noSettings("import");
    if (ids.length > 0 && (request !== undefined || Object.keys(fields).length + (options.folder === undefined ? 0 : 1) > 0))
      throw new UsageError("The settings of an import are chosen when it starts. Omit them with its ID.", HELP);
    const { runImportCommand } = await import("../client/run-import.ts");
    return await runImportCommand({ names: [...new Set(names)], isBegun: ids.length > 0, fields, request, options, terminal, json });
  },
});
