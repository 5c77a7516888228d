/** The database of this site in this browser: the shares that were sent from this device, and the unfinished uploads. */
const NAME = "filehost";
const VERSION = 2;

let opening: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opening ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) {
        request.result.createObjectStore("shares", { keyPath: "shortId" });
        request.result.createObjectStore("pending", { keyPath: ["shortId", "path"] });
      }
      request.result.createObjectStore("sent", { keyPath: ["shortId", "path"] });
    };
    request.onsuccess = () => {
      // Another tab with a newer version of this site changes the database.
      request.result.onversionchange = () => {
        request.result.close();
        opening = undefined;
      };
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
  opening.catch(() => {
    opening = undefined;
  });
  return opening;
}

export type StoreName = "shares" | "pending" | "sent";

/** Runs requests in one transaction. Resolves to the result of the request that `act` returns, after the transaction is committed. */
export async function inStore<Result>(
  name: StoreName,
  mode: "readonly" | "readwrite",
  act: (store: IDBObjectStore) => IDBRequest<Result> | undefined,
): Promise<Result | undefined> {
  return await inStores([name], mode, (transaction) => act(transaction.objectStore(name)));
}

export async function inStores<Result>(
  names: readonly StoreName[],
  mode: "readonly" | "readwrite",
  act: (transaction: IDBTransaction) => IDBRequest<Result> | undefined,
): Promise<Result | undefined> {
  const database = await open();
  return await new Promise((resolve, reject) => {
    const transaction = database.transaction(names, mode);
    const request = act(transaction);
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = () => reject(transaction.error);
  });
}
