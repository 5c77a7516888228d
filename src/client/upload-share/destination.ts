import type { GrowingShipment } from "../records/shipment-records.ts";

/** What gets the files of a command together: a shipment, or a submission to a request. Its functions reject with the server's error. */
export interface Destination {
  /** Opens a new one. The same `idempotencyKey` opens the same one again. */
  open(idempotencyKey: string): Promise<GrowingShipment>;
  /** What an earlier run has opened, at `createdAt` (ISO time), or what was named; undefined if it takes no more files. */
  find(shipment: GrowingShipment, createdAt: string | undefined): Promise<FoundShipment | undefined>;
  /** Deletes a file of it. */
  remove(shipment: GrowingShipment, fileId: string): Promise<void>;
  /** The fields with which a file joins it. */
  joining(shipment: GrowingShipment): Readonly<Record<string, string>>;
}

/** What the server says of a shipment that has files already. */
export interface FoundShipment {
  /** The files; none if they cannot be listed. */
  readonly files?: readonly { readonly id: string; readonly relativePath?: string | null }[] | null | undefined;
  /** The IDs of its files; undefined if they cannot be known, or if downloads end files. */
  listIds(): Promise<ReadonlySet<string> | undefined>;
}
