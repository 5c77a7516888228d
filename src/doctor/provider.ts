import type { LoadedConfig } from "../config/load.ts";
import { PROVIDER_CALLBACK_PATH } from "../contract/endpoints.ts";
import { createIdentityProvider } from "../net/identity-provider.ts";
import { toPublicUrls } from "../public-urls.ts";
import { reachOf } from "./addresses.ts";
import { type Check, fail, ok, warn } from "./check-result.ts";

const WHAT = "OpenID Connect";

/** Checks whether the description of the configured OpenID Connect provider matches the settings. */
export const provider: Check = {
  what: WHAT,
  timeoutMs: 15_000,
  async *run({ config }: LoadedConfig) {
    const { oidc, listen } = config;
    if (oidc === undefined) return;
    const { issuer } = oidc;
    const redirectUri = toPublicUrls(config, listen.port).siteUrl + PROVIDER_CALLBACK_PATH;
    if (issuer.startsWith("http:") && reachOf(new URL(issuer).hostname) !== "this machine")
      yield warn(
        WHAT,
        "providerNoTls",
        `${issuer} has no TLS: others on the network can sign in as anybody`,
        "Set FILEHOST_OIDC_ISSUER to an https URL.",
      );
    try {
      await createIdentityProvider({ ...oidc, redirectUri }).discover();
      yield ok(WHAT, `${issuer}; its redirect URI for this server must be ${redirectUri}`);
    } catch (error) {
      yield fail(
        WHAT,
        "provider",
        `${issuer} cannot be used: ${error instanceof Error ? error.message : error}`,
        "Set FILEHOST_OIDC_ISSUER to the `issuer` in the provider's /.well-known/openid-configuration, character by character.",
      );
    }
  },
};
