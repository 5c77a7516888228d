import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { webUrl } from "../../contract/web-url.ts";
import { AppError } from "../../errors.ts";
import { OAuthRefusal, oauthUrl, registerDevice, requestTokens, sendOAuth } from "./oauth.ts";
import type { OAuthSecret } from "./secrets.ts";
import type { SignIn } from "./sign-in-browser.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** The instructions for a person who signs in on another device. */
export interface DeviceCode {
  readonly userCode: string;
  /** The page that asks for the code. */
  readonly url: string;
  readonly expiresInSeconds: number;
}

interface DeviceSignIn extends SignIn {
  show(code: DeviceCode): Promise<void>;
}

const started = z.object({
  device_code: z.string().min(1).max(2000),
  user_code: z.string().regex(/^[\w-]{4,20}$/),
  verification_uri: webUrl,
  expires_in: z.number().min(1).max(86_400),
  interval: z.number().min(1).max(300).default(5),
});

/** Seconds that `slow_down` adds to the interval (RFC 8628, 3.5). */
const SLOW_DOWN_SECONDS = 5;

/**
 * Signs in with a code that a person enters in any browser (oauth, "Devices"). A server that does not respond is asked again until the code has
 * expired. Rejects with OAuthRefusal, UNAVAILABLE, or the signal's reason.
 */
export async function signInByDevice({ server, scope, clientName, signal, show }: DeviceSignIn): Promise<OAuthSecret> {
  const clientId = await registerDevice(server, { clientName, grant: GRANT });
  const asked = new URLSearchParams({ client_id: clientId, scope, resource: server.configuredApiUrl });
  const answer = started.safeParse(await sendOAuth(oauthUrl(server, "/oauth/device"), asked, signal));
  if (!answer.success || !answer.data.verification_uri.startsWith(`${server.siteUrl}/`))
    throw new AppError("UNAVAILABLE", "The server sent a code that this version does not know. Install the same version.");
  const { device_code: deviceCode, user_code: userCode, verification_uri: url, expires_in: expiresInSeconds } = answer.data;
  const deadlineMs = performance.now() + expiresInSeconds * 1000;
  await show({ userCode, url, expiresInSeconds });
  for (let seconds = answer.data.interval; performance.now() < deadlineMs; ) {
    await sleep(seconds * 1000, undefined, { signal });
    try {
      return await requestTokens(server, { grant_type: GRANT, device_code: deviceCode, client_id: clientId }, signal);
    } catch (error) {
      if (!isPending(error)) throw error;
      if (error instanceof OAuthRefusal && error.code === "slow_down") seconds += SLOW_DOWN_SECONDS;
    }
  }
  throw new OAuthRefusal("expired_token", "The code has expired. Run the command again.");
}

const isPending = (error: unknown): boolean =>
  error instanceof OAuthRefusal
    ? error.code === "authorization_pending" || error.code === "slow_down"
    : error instanceof AppError && error.code === "UNAVAILABLE";
