/** Between two requests; longer than the 60 s that a proxy such as nginx keeps a connection, so that the proxy is the one who closes it. */
export const KEEP_ALIVE_SECONDS = 65;

/** While bytes are sent: of a client that reads slowly, the runtime hears only when a good part of the socket's buffer is free again. */
export const TRANSFER_IDLE_SECONDS = 120;
