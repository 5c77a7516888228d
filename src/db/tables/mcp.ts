/** The session of a guest of MCP. */
export interface McpSessionTable {
  id: string;
  token_hash: string;
  /** The pseudonyms of the address that opened it, and of its IPv6 /48. */
  subject: string;
  subnet48: string | null;
  /** The key that the guest has registered, encrypted. */
  key: string | null;
  used_at: number;
}

/** A call that its client has cancelled. */
export interface McpCancellationTable {
  /** The hash of the session's ID, or of the account and the client's ID. */
  client_hash: string;
  /** The ID of the call's message, in JSON. */
  request_id: string;
  cancelled_at: number;
}

/** A question to the person at a client, while the call that asks it waits. */
export interface McpQuestionTable {
  id: string;
  client_hash: string;
  /** The encrypted answer; null until it has arrived. */
  answer: string | null;
  asked_at: number;
}
