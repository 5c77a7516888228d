/** nginx's status for a request whose client went away: nobody reads it, the log alone has it. */
const CLIENT_GONE_STATUS = 499;

/** The client closed its connection before its request was complete, or before anything was stored of it. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Whether the client's leaving is what an error comes from, however it was wrapped on its way. */
export function isClientGone(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof ClientGone) return true;
  return false;
}

export const answerClientGone = (): Response => new Response(null, { status: CLIENT_GONE_STATUS });
