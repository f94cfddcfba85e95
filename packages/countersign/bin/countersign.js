#!/usr/bin/env node
// npm links this file when it installs, also in this repository, where nothing is built yet.
import "../dist/cli/main.js";
