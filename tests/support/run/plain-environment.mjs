// Loaded before a worker of the tests. Inngest's SDK reads all variables with each request and step: from a plain object that
// takes no time, from Node's own a twentieth of the run. On Windows, only Node's own finds `PATH` under the name `Path`.
if (process.platform !== "win32") process.env = { ...process.env };
