import type { Ctx } from "../context.ts";
import { describeBytes, type Tier } from "../domain/tiers.ts";
import { describeDuration } from "../domain/ttl.ts";

/** `llms.txt`: what this service is and how to use it, for agents; from the configuration in force. */
export function toLlmsText(ctx: Pick<Ctx, "addresses" | "config" | "scanner">): string {
  const { siteUrl, baseUrl } = ctx.addresses;
  const { challenges, registrations, importsAnonymous, importsAgent } = ctx.config.rates;
  return `# filehost

> Send a file, get a link. Whoever has the link can download the file${ctx.scanner.mode === "clamd" ? ", once it has been checked for malware" : ""}.

- API: ${baseUrl} (described at ${siteUrl}/agent-openapi.json)
- What this server allows, as JSON: ${baseUrl}/agent/capabilities

## Upload

${
  ctx.config.anonymousUploads
    ? `No key is needed. The answer is the share link; X-Claim-Token and X-Deletion-Token (with \`protect=1\`, X-Unlock-Code and X-Handoff-Url) in its headers are told once.

    curl -T report.pdf ${siteUrl}/
    curl -T report.pdf -H 'Accept: application/json' '${siteUrl}/?ttl=24h&once=true'`
    : `A key is needed. The answer is the share link.

    curl -T report.pdf -H 'Authorization: Bearer bc_...' ${siteUrl}/`
}

Several files: \`curl -T '{a.txt,b.txt}' ${siteUrl}/\` or \`curl -F file=@a.txt -F file=@b.txt ${siteUrl}/\` print a link a line.
Publish fields, as query parameters here and as form fields or JSON elsewhere: ttl (30m, 24h, 7d), expiresAt, once, maxDownloads, protect, handoffMessage, runId, visibility, direct, retention, openShare, shareShortId, folderId, relativePath. A header X-Filehost-Warning names a parameter that is none of these.
The same as JSON, for files of up to 4 MB: POST ${baseUrl}/files/upload (form field \`file\`). Larger ones in parallel, resumable parts: POST ${baseUrl}/files/multipart/init, then batch-urls, PUT each part, complete.
Send an Idempotency-Key header with a write that you may have to repeat.

## Download

1. GET ${baseUrl}/files/share/{shortId} until scanStatus is "clean" (wait about 15 seconds between).
2. GET ${baseUrl}/files/download/{fileId} answers a signed url, valid for an hour. Each call counts as a download. 409 means: not checked yet, see retryAfterSeconds.
3. GET that url for the bytes.

A protected share (unlockRequired) takes unlockCode, unlockToken or handoffToken as a query parameter of step 2. Where others guess its code, a 429 has a \`challenge\`: find a nonce as for a registration (below), and send challengeId and nonce with the code.

All files of a share as one ZIP: GET ${baseUrl}/files/share/{shortId}/archive answers a signed url, with the same credentials.

## Import from a URL

POST ${baseUrl}/files/remote-upload {"url"} fetches a public file and answers when it is stored (5 minutes at most). Larger: POST ${baseUrl}/files/remote-multipart/init {"url"} answers jobId and jobSecret at once; GET ${baseUrl}/files/remote-multipart/{jobId}?secret=… tells bytesDone, percent and, when status is "completed", sharePath; …/{jobId}/events streams the same; DELETE cancels.

## Change and delete

- Settings of an own share: PATCH ${baseUrl}/files/share-settings {"fileId" or "shortId", extendTtl, expiresAt, visibility, protect, immutable, upstreamFileIds, …}. Of an anonymous upload: PATCH ${baseUrl}/files/link-protection {"fileId", "claimToken", "protect"}.
- Delete: DELETE ${baseUrl}/files/delete?fileId=…, with the owner's key, or &token= and the deletion token of an anonymous upload. It is final.

## Several files behind one link

A Shipment needs a key: send the first file with openShare=true, each further one with shareShortId={shortId} of that answer, and relativePath for its path in the ZIP. Its link stays the same while it grows.

## With a key

- ${baseUrl}/folders: POST {"name", "parentId"} makes a folder, GET ${baseUrl}/folders/list lists, PATCH and DELETE ${baseUrl}/folders/{id} rename, move and delete; upload with folderId.
- Let a worker upload one file without your key: POST ${baseUrl}/files/upload-delegations {"name", "sizeBytes"} answers uploadUrl, for \`curl -T report.pdf UPLOAD_URL\`; POST ${baseUrl}/files/upload-delegations/complete {"delegationToken"} tells what it became.
- Webhooks (scope full): POST ${baseUrl}/webhooks {"url", "events"}, of file.ready, file.failed, file.expired, file.authorized, file.downloaded. Verify service-webhook-signature: v1, and the HMAC-SHA256 of {id}.{timestamp}.{rawBody} with the whole secret.

## Get a key without a person

1. POST ${baseUrl}/agent/register/challenge (no body) answers challenge_id, difficulty, expires_at. It is valid for five minutes and for your address.
2. Find a nonce for which SHA-256 of the text challenge_id + ":" + nonce begins with \`difficulty\` zero bits.
3. POST ${baseUrl}/agent/register with {"label", "challenge_id", "nonce"} answers the key, once. Send it as \`Authorization: Bearer bc_...\`.

    python3 - <<'PY'
    import hashlib, itertools, json, urllib.request
    def post(path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request("${baseUrl}" + path, data, {"Content-Type": "application/json"}, method="POST")
        return json.load(urllib.request.urlopen(request))
    challenge = post("/agent/register/challenge")
    for nonce in map(str, itertools.count()):
        digest = hashlib.sha256(f"{challenge['challenge_id']}:{nonce}".encode()).digest()
        if int.from_bytes(digest, "big") >> (256 - challenge["difficulty"]) == 0:
            break
    print(post("/agent/register", {"label": "my agent", "challenge_id": challenge["challenge_id"], "nonce": nonce})["key"])
    PY

With a key: GET ${baseUrl}/me (what is left of your limits), GET ${baseUrl}/files/list, POST ${baseUrl}/files/claim for what was uploaded without one.
Agents registered from one address share one quota. An agent without a file for 30 days is removed.

## Limits

| tier | file | storage | kept | requests a minute |
| --- | --- | --- | --- | --- |
${tierLine(ctx, "anonymous")}
${tierLine(ctx, "free")}
${tierLine(ctx, "pro")}

An hour and address: ${challenges.limit} challenges, ${registrations.limit} registrations, ${importsAnonymous.limit} imports without a key. An hour and agent: ${importsAgent.limit} imports.
A 429 says in Retry-After how many seconds to wait.

## Errors

Every refusal is JSON: success false, error (a sentence that says what to do), errorCode (UPPER_SNAKE). Only 429, 503, and 409 and 507 with Retry-After are worth repeating. A 408 means that the body came too slowly.

## Links

- [API description, OpenAPI 3.1](${siteUrl}/agent-openapi.json)
- [Capabilities](${baseUrl}/agent/capabilities)
- [Health](${siteUrl}/health)
`;
}

function tierLine(ctx: Pick<Ctx, "config">, tier: Tier): string {
  const { fileBytes, storageBytes, storageMaxBytes, retentionMs } = ctx.config.tiers[tier];
  const kept =
    tier === "pro"
      ? `while Pro is active, then 24 hours; a chosen time ${describeDuration(retentionMs)} at most`
      : `${describeDuration(retentionMs)} at most`;
  const storage =
    storageMaxBytes > storageBytes
      ? `${describeBytes(storageBytes)} concurrent storage included (hard maximum ${describeBytes(storageMaxBytes)})`
      : describeBytes(storageMaxBytes);
  return `| ${tier} | ${describeBytes(fileBytes)} | ${storage} | ${kept} | ${ctx.config.rates[tier].limit} |`;
}
