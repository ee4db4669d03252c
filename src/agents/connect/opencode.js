// Asks the person in sayso whenever opencode would ask, and before each tool in `opencode run`, which
// cannot ask anybody.
import { spawn } from "node:child_process"

const program = "PROGRAM"
const patience = "PATIENCE"
const all = "ALL"

// The permissions of tools whose permission has another name than the tool.
const permissions = { write: "edit", patch: "edit", multiedit: "edit", apply_patch: "edit" }
// Permissions that belong to no single tool. In `run`, opencode refuses what would ask for them.
const others = ["external_directory", "doom_loop"]

// Sends an event to sayso and waits for the answer. `stop` ends the wait and withdraws the card.
function ask(event) {
  const args = [...program.slice(1), "request", "--hook", "opencode", "--timeout", String(patience)]
  const child = spawn(program[0], args, { stdio: ["pipe", "pipe", "ignore"] })
  const answer = new Promise((resolve, reject) => {
    let said = ""
    child.stdout.on("data", (part) => (said += part))
    child.stdin.on("error", () => {})
    child.on("error", reject)
    child.on("close", (code) => {
      try {
        if (code !== 0) throw new Error(`it ended with ${code}`)
        resolve(said.trim() ? JSON.parse(said) : {})
      } catch (error) {
        reject(error)
      }
    })
  })
  child.stdin.end(JSON.stringify(event))
  return { answer, stop: () => child.kill("SIGTERM") }
}

export const Sayso = async ({ client, directory }) => {
  const alone = process.argv.slice(2).find((word) => !word.startsWith("-")) === "run"
  const gate = alone || all
  // The permission patterns of the config in order, each with whether it said "ask".
  const asked = []
  const waiting = new Map()
  // The calls that sayso was asked about, each with the id of its question.
  const told = new Map()
  // The latest information about each session.
  const sessions = new Map()

  const wanted = (tool) => {
    if (tool.startsWith("sayso_")) return false
    if (all) return true
    const name = permissions[tool] ?? tool
    const fits = (pattern) => {
      const words = pattern.split("*").map((word) => word.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
      return new RegExp(`^${words.join(".*")}$`).test(name)
    }
    return asked.findLast(([pattern]) => fits(pattern))?.[1] ?? false
  }

  // Asks in sayso while opencode shows its own dialog. The first answer counts.
  const beside = (id, event, reply) => {
    const asking = ask({ ...event, cwd: directory })
    waiting.set(id, { ...asking, session: event.session_id })
    const answered = async (said) => {
      await reply(said)
      if (said.stop) end(event.session_id)
    }
    asking.answer.then(answered).catch(() => {}).finally(() => waiting.delete(id))
  }
  const post = async (url, body) => {
    const headers = { "content-type": "application/json" }
    await client._client.post({ url, body, headers })
  }
  // Stops the session after the current answer has been delivered.
  const end = (session) => setTimeout(() => post(`/session/${session}/abort`, {}).catch(() => {}), 0)
  const over = (is) => {
    for (const [id, asking] of waiting) if (is(id, asking)) asking.stop()
  }
  // Reports a session's status, and ignores failures. Sessions of sub-agents belong to their parent session.
  const tell = (event, id) => {
    const { parentID, title, tokens, cost } = sessions.get(id) ?? {}
    if (!id || parentID) return
    ask({ event, session_id: id, cwd: directory, prompt: title, tokens, cost }).answer.catch(() => {})
  }

  return {
    config: async (config) => {
      // A single word applies to every tool, including ours. Ours ask by themselves, so they are allowed.
      const word = config.permission
      if (typeof word === "string") config.permission = { "*": word, "sayso_*": "allow" }
      if (!gate) return
      const before = config.permission ?? {}
      const after = {}
      for (const [name, rule] of Object.entries(before)) {
        const rules = typeof rule === "string" ? [rule] : Object.values(rule)
        const asks = rules.includes("ask")
        if (others.includes(name) || name.startsWith("sayso_")) {
          after[name] = rule
          continue
        }
        asked.push([name, asks])
        const allow = (rule) => (rule === "ask" ? "allow" : rule)
        const allowed = Object.entries(rule).map(([pattern, rule]) => [pattern, allow(rule)])
        after[name] = typeof rule === "string" ? allow(rule) : Object.fromEntries(allowed)
      }
      for (const name of others) after[name] ??= "ask"
      config.permission = after
    },

    "tool.execute.before": async (input, output) => {
      if (!gate || !wanted(input.tool)) return
      const event = { event: "tool", session_id: input.sessionID, tool_use_id: input.callID, cwd: directory }
      const said = await ask({ ...event, tool_name: input.tool, tool_input: output.args }).answer.catch((error) => {
        throw new Error(`sayso could not be asked, so it was not run (${error.message})`)
      })
      told.set(input.callID, input.callID)
      if (said.stop) end(input.sessionID)
      if (said.decision !== "allow") throw new Error(said.message ?? "sayso did not allow it")
      if (said.args) Object.assign(output.args, said.args)
    },

    "tool.execute.after": async (input, output) => {
      const id = told.get(input.callID)
      if (!told.delete(input.callID)) return
      const about = output.metadata ?? {}
      const event = { event: "ran", session_id: input.sessionID, tool_use_id: id, cwd: directory }
      const response = { exit: about.exit, filePath: about.filediff?.file ?? about.filepath, diff: about.diff }
      ask({ ...event, tool_name: input.tool, tool_input: {}, tool_response: response }).answer.catch(() => {})
    },

    event: async ({ event }) => {
      const about = event.properties ?? {}
      switch (event.type) {
        case "session.created":
        case "session.updated":
          sessions.set(about.info.id, { ...sessions.get(about.info.id), ...about.info })
          return
        case "session.status": {
          const status = about.status?.type === "idle" ? "idle" : "busy"
          const known = sessions.get(about.sessionID) ?? {}
          if (known.status === status) return
          sessions.set(about.sessionID, { ...known, status })
          return tell(status, about.sessionID)
        }
        case "permission.asked":
          if (gate) return
          if (about.tool?.callID) told.set(about.tool.callID, about.id)
          return beside(about.id, {
            event: "permission",
            session_id: about.sessionID,
            tool_use_id: about.id,
            tool_name: about.permission,
            tool_input: Object.keys(about.metadata ?? {}).length ? about.metadata : { patterns: about.patterns },
          }, ({ reply, message }) => reply && post(`/permission/${about.id}/reply`, { reply, message }))
        case "question.asked":
          return beside(about.id, {
            event: "question",
            session_id: about.sessionID,
            tool_name: "question",
            tool_input: { questions: about.questions },
          }, (said) => {
            if (said.answers) return post(`/question/${about.id}/reply`, { answers: said.answers })
            if (said.reject) return post(`/question/${about.id}/reject`, {})
          })
        case "permission.replied":
        case "question.replied":
        case "question.rejected":
          return over((id) => id === about.requestID)
        case "session.idle":
        case "session.error":
        case "session.deleted":
          if (event.type === "session.deleted") {
            tell("ended", about.sessionID ?? about.info?.id)
            sessions.delete(about.sessionID ?? about.info?.id)
          }
          return over((_, asking) => asking.session === (about.sessionID ?? about.info?.id))
      }
    },
  }
}
