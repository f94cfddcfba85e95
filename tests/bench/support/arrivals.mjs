/** @typedef {ReturnType<typeof createArrivals>} Arrivals */

/**
 * When something was reached, also where it was before anybody asked.
 *
 * @param {number} patienceMs after which what is not reached fails, so that a benchmark ends
 */
export function createArrivals(patienceMs) {
  /** @type {Map<string, { when: Promise<number>, arrive: (at: number) => void }>} */
  const places = new Map();
  /** @param {string} what @param {string} id */
  const place = (what, id) => {
    const name = `${what} of ${id}`;
    const known = places.get(name);
    if (known) return known;
    /** @type {(at: number) => void} */
    let arrive = () => {};
    /** @type {Promise<number>} */
    const when = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The ${name} was not reached`)), patienceMs);
      arrive = (at) => {
        clearTimeout(timer);
        resolve(at);
      };
    });
    const made = { when, arrive };
    places.set(name, made);
    return made;
  };
  return {
    /** @param {string} what @param {string} id */
    arrive: (what, id) => place(what, id).arrive(performance.now()),
    /** @param {string} what @param {string} id */
    at: (what, id) => place(what, id).when,
  };
}
