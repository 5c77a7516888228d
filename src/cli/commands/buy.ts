import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS, openClient } from "../options/client-options.ts";
import { CODE_OPTION, readCode } from "../options/unlock-code.ts";

export const buy = defineCommand({
  details:
    "Prints the address where you pay, waits until the payment has arrived, and remembers the purchase on this device, so that filehost down " +
    "downloads the share. The same command continues an open checkout. It needs no account.",
  args: { LINK: { suggests: [], help: "A share link, private link, short ID or file ID" } },
  options: {
    open: { kind: "flag", help: "Open the address in your browser" },
    again: { kind: "flag", help: "Buy again, although this device has bought it already" },
    "no-wait": { kind: "flag", help: "Print the address of the payment, and do not wait for it" },
    code: CODE_OPTION,
    ...CLIENT_OPTIONS,
  },
  jsonLines: true,
  settings: [],
  examples: ["filehost buy https://files.example.org/d/7kXq9Zab", "filehost buy 7kXq9Zab --open"],
  async run({ args: { LINK }, options, terminal, json }) {
    const { parseDownloadTarget } = await import("../../client/download-share/target.ts");
    const { target } = parseDownloadTarget(LINK);
    if (target.kind === "signed")
      throw new UsageError("A download URL needs no payment. Pass the link of the share.", "filehost buy --help");
    const client = await openClient({ command: "buy", options, terminal, links: [LINK] });
    const code = await readCode(terminal, options.code, client);
    const { runBuy } = await import("../client/run-buy.ts");
    return await runBuy({
      client,
      target,
      link: LINK.trim(),
      code,
      isOpened: options.open,
      isAgain: options.again,
      waitsForPayment: !options["no-wait"],
      terminal,
      json,
    });
  },
});
