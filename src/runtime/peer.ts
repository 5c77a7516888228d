/** The other end of one request, as the runtime knows it. */
export interface Peer {
  /** The socket's peer; empty where it is gone already. */
  readonly address: string;

  /**
   * Whether the whole answer was handed to the network: true once it was, false once the connection was cut before.
   * Works for files that go by sendfile, where no stream tells. To be called before the answer is returned.
   */
  sent(): Promise<boolean>;

  /** Whether the connection closed before this request was answered. To be asked before the answer is returned. */
  isGone(): boolean;

  /**
   * Closes the connection after so many seconds without a byte, counted from now; 0: never. It stays so on the connection until it is set
   * again, or its next request begins. What `fileResponse` sends by sendfile keeps to the server's own time instead.
   */
  setIdleTimeout(seconds: number): void;
}
