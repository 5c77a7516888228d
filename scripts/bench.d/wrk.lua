-- Targets of a load, and its result as one line of JSON.
--   rotate FILE          the paths in FILE (one per line), in their order
--   random FILE PREFIX   PREFIX with any of the names in FILE, which are all of the same length
--   post FILE PATH       PATH with the content of FILE as the body
local next_request

function init(args)
  local mode, path, prefix = args[1], args[2], args[3]
  local file = assert(io.open(path, "r"))
  local text = file:read("*a")
  file:close()
  if mode == "rotate" then
    local requests = {}
    for line in text:gmatch("[^\n]+") do
      requests[#requests + 1] = wrk.format("GET", line)
    end
    local turn = 0
    next_request = function()
      turn = turn % #requests + 1
      return requests[turn]
    end
  elseif mode == "post" then
    local request = wrk.format("POST", prefix, nil, text)
    next_request = function()
      return request
    end
  else
    local width = text:find("\n")
    local count = #text / width
    local head, tail = wrk.format("GET", prefix .. "@NAME@"):match("^(.*)@NAME@(.*)$")
    math.randomseed(os.time())
    next_request = function()
      local from = math.random(0, count - 1) * width
      return head .. text:sub(from + 1, from + width - 1) .. tail
    end
  end
end

function request()
  return next_request()
end

function done(summary)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"failed":%d}\n',
    summary.requests, summary.duration, errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
