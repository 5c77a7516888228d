/** The other end of one request, as the runtime knows it. */
export interface Peer {
  /** The socket's peer; empty where it is gone already. */
  readonly address: string;

  /**
   * Whether the whole answer was handed to the network: true once it was, false once the connection was cut before.
   * Works for files that go by sendfile, where no stream tells. To be called before the answer is returned.
   */
  sent(): Promise<boolean>;

  /** Lifts the idle time-out for this request, whose answer may be silent for longer. */
  allowSilence(): void;
}
