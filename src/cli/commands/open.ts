import { toSingleLine } from "../../lib/file-name.ts";
import { CLIENT_OPTIONS } from "../client.ts";
import { defineCommand } from "../command.ts";
import { openFor, SHARE_ARGUMENT } from "../open-for.ts";

export const open = defineCommand({
  details: "Where there is no browser, prints the link. BROWSER names another program than the system's.",
  args: { ID: SHARE_ARGUMENT },
  options: CLIENT_OPTIONS,
  settings: [],
  examples: ["filehost open 7kXq9Zab"],
  async run({ args: { ID }, options, terminal }) {
    const [{ parseShareLink }, { hasBrowser, openInBrowser }] = await Promise.all([
      import("../../client/server-address.ts"),
      import("../../client/open-browser.ts"),
    ]);
    const { link, isOfServer } = parseShareLink(ID) === undefined ? await findLink() : { link: ID.trim(), isOfServer: true };
    const isOpen = isOfServer && hasBrowser(terminal.env) && (await openInBrowser(new URL(link), terminal.env));
    const foreign = isOfServer ? [] : ["The link leads to another site than that of the server, and is not opened."];
    if (!isOpen) return { data: { link, opened: false }, text: `${link}\n`, notes: foreign };
    return { data: { link, opened: true }, text: "", notes: [`Opened ${toSingleLine(link)}`] };

    async function findLink(): Promise<{ readonly link: string; readonly isOfServer: boolean }> {
      const client = await openFor({ command: "open", options, terminal }, [ID]);
      const [{ findShareLink }, { isLinkOf }] = await Promise.all([
        import("../../client/named-share.ts"),
        import("../../client/subject.ts"),
      ]);
      const link = await findShareLink(client, ID);
      return { link, isOfServer: await isLinkOf(client, link) };
    }
  },
});
