// Asks the person in sayso whenever opencode would ask, and before each tool in `opencode run`, which
// cannot ask anybody.
import { spawn } from "node:child_process"

const program = "PROGRAM"
const patience = "PATIENCE"
const all = "ALL"

// The tools we know, each with the permission it asks for. What a rule says about anything else stays as it is; in
// `run`, opencode refuses what would ask.
const same = ["bash", "codesearch", "edit", "glob", "grep", "list", "lsp", "read", "skill", "task", "todoread",
  "todowrite", "webfetch", "websearch"]
const permissions = {
  ...Object.fromEntries(same.map((tool) => [tool, tool])),
  write: "edit", patch: "edit", multiedit: "edit", apply_patch: "edit",
  list_mcp_resources: "read", list_mcp_resource_templates: "read", read_mcp_resource: "read",
}

// Whether a pattern fits a permission's name, as opencode reads patterns.
function fits(pattern, name) {
  const literal = pattern.replaceAll("\\", "/").replace(/[.+^${}()|[\]\\]/g, "\\$&")
  const regex = literal.replace(/\*/g, ".*").replace(/\?/g, ".").replace(/ \.\*$/, "( .*)?")
  return new RegExp(`^${regex}$`, "s").test(name)
}

// A rule is a word, or a word for each pattern of what the tool is used on.
const isTable = (rule) => typeof rule === "object" && rule !== null && !Array.isArray(rule)
const asks = (rule) => rule === "ask" || (isTable(rule) && Object.values(rule).includes("ask"))
const allowed = (rule) => {
  if (!isTable(rule)) return rule === "ask" ? "allow" : rule
  return Object.fromEntries(Object.entries(rule).map(([pattern, word]) => [pattern, word === "ask" ? "allow" : word]))
}

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
  // The permission patterns of the config in order, each with whether we ask instead of opencode.
  const asked = []
  const waiting = new Map()
  // The calls that are about to run, and those that sayso was asked about, each with the id of its question.
  const calls = new Map()
  const told = new Map()
  const changed = new Set()
  // The latest information about each session.
  const sessions = new Map()

  const wanted = (tool) => {
    if (all) return true
    const name = permissions[tool] ?? tool
    return asked.findLast(([pattern]) => fits(pattern, name))?.[1] ?? false
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
      if (!gate) return
      // A single word applies to every tool.
      const word = config.permission
      if (typeof word === "string") config.permission = { "*": word }
      // The tools of a server begin with its name.
      const servers = Object.keys(config.mcp ?? {}).map((name) => `${name.replace(/[^a-zA-Z0-9_-]/g, "_")}_`)
      const tools = [...new Set(Object.values(permissions))]
      const isKnown = (name) => tools.includes(name) || servers.some((server) => name.startsWith(server))
      // The tools that a pattern fits, all of a server's or none.
      const known = (pattern) => {
        const isOpen = pattern.endsWith("*") && !pattern.endsWith(" *")
        const all = servers.filter((server) => isOpen && fits(pattern, server)).map((server) => `${server}*`)
        return [...tools.filter((tool) => fits(pattern, tool)), ...all]
      }
      const after = {}
      // The last rule that fits counts, so each goes to the end.
      const put = (name, rule, isAsked) => {
        delete after[name]
        after[name] = rule
        asked.push([name, isAsked])
      }
      for (const [name, rule] of Object.entries(config.permission ?? {})) {
        if (isKnown(name)) {
          put(name, allowed(rule), asks(rule))
          continue
        }
        put(name, rule, false)
        if (!asks(rule)) continue
        for (const tool of known(name)) put(tool, allowed(rule), true)
      }
      config.permission = after
    },

    "tool.execute.before": async (input, output) => {
      calls.set(input.callID, { tool: input.tool, args: output.args, session: input.sessionID })
      if (!gate || !wanted(input.tool)) return
      const event = { event: "tool", session_id: input.sessionID, tool_use_id: input.callID, cwd: directory }
      const said = await ask({ ...event, tool_name: input.tool, tool_input: output.args }).answer.catch((error) => {
        throw new Error(`sayso could not be asked, so it was not run (${error.message})`)
      })
      told.set(input.callID, input.callID)
      if (said.stop) end(input.sessionID)
      if (said.decision !== "allow") throw new Error(said.message ?? "sayso did not allow it")
      if (!said.args) return
      Object.assign(output.args, said.args)
      changed.add(input.callID)
    },

    "tool.execute.after": async (input, output) => {
      calls.delete(input.callID)
      // The model remembers the call that it made.
      if (changed.delete(input.callID)) {
        const words = "The person changed this call before it ran. It ran with these arguments instead:"
        output.output = `${output.output}\n\n${words} ${JSON.stringify(input.args)}`
      }
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
        case "permission.asked": {
          if (gate) return
          if (about.tool?.callID) told.set(about.tool.callID, about.id)
          // The whole call, where it is about the call and not about a part of it such as a folder outside.
          const call = calls.get(about.tool?.callID)
          const isCall = call && (permissions[call.tool] ?? call.tool) === about.permission
          const metadata = Object.keys(about.metadata ?? {}).length ? about.metadata : { patterns: about.patterns }
          return beside(about.id, {
            event: "permission",
            session_id: about.sessionID,
            tool_use_id: about.id,
            tool_name: isCall ? call.tool : about.permission,
            tool_input: isCall ? call.args : metadata,
          }, ({ reply, message }) => reply && post(`/permission/${about.id}/reply`, { reply, message }))
        }
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
          for (const [id, call] of calls) if (call.session === (about.sessionID ?? about.info?.id)) calls.delete(id)
          return over((_, asking) => asking.session === (about.sessionID ?? about.info?.id))
      }
    },
  }
}
