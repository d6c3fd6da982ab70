// Keep the picture of a map in this browser: it is not part of the record, and nobody else gets it.

const NAME = "rewound pictures";
const STORE = "pictures";

/** @returns {Promise<IDBDatabase>} */
const opened = () => new Promise((done, failed) => {
  const asked = indexedDB.open(NAME, 1);
  asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
  asked.onsuccess = () => done(asked.result);
  asked.onerror = () => failed(asked.error);
});

/** @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} act @returns {Promise<any>} */
const within = async (mode, act) => {
  const base = await opened();
  try {
    return await new Promise((done, failed) => {
      const asked = act(base.transaction(STORE, mode).objectStore(STORE));
      asked.onsuccess = () => done(asked.result);
      asked.onerror = () => failed(asked.error);
    });
  } finally {
    base.close();
  }
};

/** @param {string} encounter @param {{blob: Blob, width: number, height: number}} picture its size in cells */
export const keepPicture = (encounter, picture) => within("readwrite", (store) => store.put(picture, encounter)).catch(() => {});

/** Return the picture of a fight; null where this browser has none. @param {string} encounter @returns {Promise<{blob: Blob, width: number, height: number} | null>} */
export const keptPicture = (encounter) => within("readonly", (store) => store.get(encounter)).then((found) => found ?? null, () => null);
