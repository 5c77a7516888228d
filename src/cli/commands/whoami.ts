import { describeSignIn, formatSignIn } from "../client/sign-in.ts";
import { defineCommand } from "../command.ts";
import { CLIENT_OPTIONS, openClient } from "../options/client-options.ts";

export const whoami = defineCommand({
  options: CLIENT_OPTIONS,
  settings: [],
  examples: ["filehost whoami", "filehost whoami --profile work --json"],
  async run({ options, terminal }) {
    const client = await openClient({ command: "whoami", options, terminal });
    if (!client.hasKey) {
      const { siteUrl } = await client.api.discoverServer();
      return {
        data: { server: client.url, siteUrl, account: null },
        text: `Not signed in to ${client.url}\n`,
        notes: [`To sign in, run: filehost login ${client.url}`],
      };
    }
    const described = describeSignIn(client.url, await client.api.call("getMe", {}));
    const { profile = null, source } = client;
    return { data: { ...described, profile, signIn: source }, text: formatSignIn(described, SOURCES[source](profile)) };
  },
});

/** Descriptions of the ways to sign in. */
const SOURCES = {
  none: () => "no",
  key: () => "with an API key of the command line or the environment",
  "profile key": (profile: string | null) => `with an API key (profile ${profile})`,
  oauth: (profile: string | null) => `with your account, by a browser (profile ${profile})`,
} as const;
