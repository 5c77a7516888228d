import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createIdentityProvider, type Identity, ProviderError } from "../../src/net/identity-provider.ts";
import { type Forgery, startForgedProvider } from "../support/forged-provider.ts";

const CHECKS = { state: "state", nonce: "nonce", codeVerifier: "v".repeat(64) };
const NOW_SECONDS = Math.floor(Date.now() / 1000);

/** Signs in at a provider that forges responses: who it is, or why not. */
async function identify(forgery: Forgery, query = "code=x&state=state"): Promise<Identity | string> {
  await using provider = await startForgedProvider(forgery);
  const client = createIdentityProvider({
    issuer: provider.issuer,
    clientId: "filehost",
    clientSecret: "secret",
    scopes: "openid",
    redirectUri: "http://localhost/back",
    timeoutMs: 60_000,
  });
  try {
    return await client.identify(new URLSearchParams(query), CHECKS);
  } catch (error) {
    assert.ok(error instanceof ProviderError, String(error));
    return error.kind;
  }
}

/** accounts, "OpenID Connect". */
describe("an identity provider", () => {
  test("says who somebody is, in the ID token or in the response about them", async () => {
    const expected = { subject: "ada", email: "ada@example.org", isEmailVerified: true, name: "Ada", provedAtMs: undefined };
    assert.deepEqual(await identify({}), expected);
    const claims = { email: "b@example.org", email_verified: "true", name: 7, auth_time: 1_700_000_000 };
    assert.deepEqual(await identify({ claims }), {
      ...expected,
      email: "b@example.org",
      name: undefined,
      provedAtMs: 1_700_000_000_000,
    });
  });

  for (const [title, forgery] of Object.entries<Forgery>({
    "a token of another issuer": { claims: { iss: "https://evil.example" } },
    "a token for another client": { claims: { aud: "another" } },
    "a token for several clients without a party that it is for": { claims: { aud: ["filehost", "another"] } },
    "a token of another sign-in": { claims: { nonce: "another" } },
    "a token without a nonce": { claims: { nonce: undefined } },
    "a token without a subject": { claims: { sub: undefined } },
    "an empty subject": { claims: { sub: "" }, userInfo: { sub: "" } },
    "a blank subject": { claims: { sub: " \u00a0\t" }, userInfo: { sub: " \u00a0\t" } },
    "an invisible subject": { claims: { sub: "\u200b\u2800" }, userInfo: { sub: "\u200b\u2800" } },
    "a subject of 256 characters": { claims: { sub: "x".repeat(256) }, userInfo: { sub: "x".repeat(256) } },
    "a subject that a database would cut": { claims: { sub: "ada\0eve" }, userInfo: { sub: "ada\0eve" } },
    "a subject that is half a character": { claims: { sub: "\ud800" }, userInfo: { sub: "\ud800" } },
    "a subject that is no text": { claims: { sub: 7 as never }, userInfo: { sub: 7 } },
    "an expired token": { claims: { exp: NOW_SECONDS - 120 } },
    "a token of the future": { claims: { nbf: NOW_SECONDS + 3600 } },
    "a token that another key signed": { isForeignKey: true },
  }))
    test(`is not believed with ${title}`, async () => {
      assert.equal(await identify(forgery), "invalid");
    });

  test("may use subjects of up to 255 characters, which differ by case and spaces", async () => {
    for (const sub of ["x".repeat(255), "Ada", " ada"]) {
      const identity = await identify({ claims: { sub, email: "b@example.org" } });
      assert.ok(typeof identity === "object", sub);
      assert.equal(identity.subject, sub);
    }
  });

  test("is asked for the address if the ID token has a blank one, and then gives none", async () => {
    const claims = { email: " ", email_verified: true };
    assert.equal(((await identify({ claims })) as Identity).email, "ada@example.org");
    const identity = (await identify({ claims, userInfo: { email: "", name: "\n" } })) as Identity;
    assert.deepEqual([identity.email, identity.name], [undefined, undefined]);
  });

  test("may have a clock that is a minute wrong", async () => {
    assert.notEqual(await identify({ claims: { exp: NOW_SECONDS - 30 } }), "invalid");
  });

  test("is not asked with a response that has another state or an error", async () => {
    assert.equal(await identify({}, "code=x&state=other"), "invalid");
    assert.equal(await identify({}, "code=x"), "invalid");
    assert.equal(await identify({}, "error=access_denied&state=state"), "cancelled");
    assert.equal(await identify({}, "error=temporarily_unavailable&state=state"), "unavailable");
    assert.equal(await identify({}, "error=invalid_request&state=state"), "invalid");
  });

  test("is unavailable if its description is foreign, incomplete or invalid, and if its data are about somebody else", async () => {
    assert.equal(await identify({ metadata: { issuer: "https://evil.example" } }), "unavailable");
    assert.equal(await identify({ userInfo: { sub: "eve" } }), "unavailable");
    assert.equal(await identify({ metadata: { token_endpoint: undefined } }), "unavailable");
    const path = "/.well-known/openid-configuration";
    assert.equal(await identify({ responses: { [path]: (response) => response.writeHead(500).end() } }), "unavailable");
    assert.equal(await identify({ responses: { [path]: (response) => response.end("<html>") } }), "unavailable");
  });

  test("is unavailable if it responds with too much, never, or with a redirect, which is not followed", async () => {
    const endless = (response: NodeJS.WritableStream): void => {
      response.write("x".repeat(600 * 1024));
    };
    assert.equal(await identify({ responses: { "/token": endless } }), "unavailable");
    assert.equal(await identify({ responses: { "/token": () => undefined } }), "unavailable");
    let followed = 0;
    const responses = {
      "/token": (response: import("node:http").ServerResponse) => response.writeHead(307, { Location: "/elsewhere" }).end(),
      "/elsewhere": (response: import("node:http").ServerResponse) => {
        followed += 1;
        response.end();
      },
    };
    assert.equal(await identify({ responses }), "unavailable");
    assert.equal(followed, 0);
  });

  test("is asked for its description once, and again after it could not be reached", async () => {
    let isDown = true;
    await using provider = await startForgedProvider({
      responses: {
        get "/.well-known/openid-configuration"() {
          return isDown ? (response: import("node:http").ServerResponse) => response.writeHead(503).end() : undefined;
        },
      } as Forgery["responses"],
    });
    const client = createIdentityProvider({
      issuer: provider.issuer,
      clientId: "filehost",
      clientSecret: undefined,
      scopes: "openid",
      redirectUri: "http://localhost/back",
    });
    await assert.rejects(client.authorizationUrl(CHECKS, { isProof: false }), ProviderError);
    isDown = false;
    for (const _ of [1, 2]) await client.authorizationUrl(CHECKS, { isProof: false });
    assert.deepEqual(provider.requests, ["/.well-known/openid-configuration", "/.well-known/openid-configuration"]);
  });
});
