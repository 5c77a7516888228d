/**
 * Computes proofs of work. Loaded when a page requires one. Implements SHA-256, because the browser's function is asynchronous, so slower for texts
 * this short, and needs HTTPS.
 */

const PAUSE_INTERVAL_MS = 30;
const BATCH_SIZE = 1000;
const BLOCK_BYTES = 64;
/** The bytes of the bit after the text, and of its length. */
const PADDING_BYTES = 9;

const { initial, constants } = fractionsOfPrimes();
const words = new Int32Array(64);

/**
 * Finds the first number for which SHA-256 of `{challengeId}:{number}` starts with `difficulty` zero bits, at most 64. Keeps the page responsive.
 * @param {string} challengeId @param {number} difficulty @returns {Promise<string>}
 */
export async function findNonce(challengeId, difficulty) {
  const prefix = new TextEncoder().encode(`${challengeId}:`);
  const rest = prefix.length % BLOCK_BYTES;
  // Whole blocks of the prefix are the same for every number, so they are hashed once.
  const afterPrefix = Int32Array.from(initial);
  for (let at = 0; at + BLOCK_BYTES <= prefix.length; at += BLOCK_BYTES)
    compress(afterPrefix, new DataView(prefix.buffer, at), afterPrefix);
  const bytes = new Uint8Array(2 * BLOCK_BYTES);
  bytes.set(prefix.subarray(prefix.length - rest));
  const [first, second] = [new DataView(bytes.buffer), new DataView(bytes.buffer, BLOCK_BYTES)];
  const state = new Int32Array(8);
  let pausedAtMs = performance.now();
  for (let nonce = 0; ; nonce += 1) {
    const digits = String(nonce);
    const end = rest + digits.length;
    for (let index = 0; index < digits.length; index += 1) bytes[rest + index] = digits.charCodeAt(index);
    bytes.fill(0, end);
    bytes[end] = 0x80;
    const fitsOne = end + PADDING_BYTES <= BLOCK_BYTES;
    (fitsOne ? first : second).setUint32(BLOCK_BYTES - 4, (prefix.length + digits.length) * 8);
    compress(afterPrefix, first, state);
    if (!fitsOne) compress(state, second, state);
    if (leadingZeroBits(state) >= difficulty) return digits;
    if (nonce % BATCH_SIZE === 0 && performance.now() - pausedAtMs > PAUSE_INTERVAL_MS) {
      await nextTask();
      pausedAtMs = performance.now();
    }
  }
}

/** @param {Int32Array} state */
const leadingZeroBits = (state) => (state[0] === 0 ? 32 + Math.clz32(state[1] ?? 0) : Math.clz32(state[0] ?? 0));

/** Waits for the next task. Uses no timer, because browsers slow down the timers of hidden pages. @returns {Promise<void>} */
function nextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** Adds one block to a SHA-256 (FIPS 180-4, 6.2.2). @param {Int32Array} before @param {DataView} block @param {Int32Array} after May be `before`. */
function compress(before, block, after) {
  for (let index = 0; index < 16; index += 1) words[index] = block.getInt32(index * 4);
  for (let index = 16; index < 64; index += 1) {
    const early = words[index - 15] ?? 0;
    const late = words[index - 2] ?? 0;
    const small0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const small1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[index] = ((words[index - 16] ?? 0) + small0 + (words[index - 7] ?? 0) + small1) | 0;
  }
  let a = before[0] ?? 0;
  let b = before[1] ?? 0;
  let c = before[2] ?? 0;
  let d = before[3] ?? 0;
  let e = before[4] ?? 0;
  let f = before[5] ?? 0;
  let g = before[6] ?? 0;
  let h = before[7] ?? 0;
  for (let index = 0; index < 64; index += 1) {
    const large1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + large1 + ((e & f) ^ (~e & g)) + (constants[index] ?? 0) + (words[index] ?? 0)) | 0;
    const large0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = (large0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  after[0] = (before[0] ?? 0) + a;
  after[1] = (before[1] ?? 0) + b;
  after[2] = (before[2] ?? 0) + c;
  after[3] = (before[3] ?? 0) + d;
  after[4] = (before[4] ?? 0) + e;
  after[5] = (before[5] ?? 0) + f;
  after[6] = (before[6] ?? 0) + g;
  after[7] = (before[7] ?? 0) + h;
}

/** Returns 32 bits of the fractions of the first primes' square roots, and of their cube roots. */
function fractionsOfPrimes() {
  const primes = /** @type {number[]} */ ([]);
  for (let number = 2; primes.length < 64; number += 1) if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  /** @param {number} root */
  const fraction = (root) => (root % 1) * 2 ** 32;
  return {
    initial: Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)) | 0),
    constants: Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)) | 0),
  };
}
