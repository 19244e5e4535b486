-- A session of neovim (0.7 or newer) with `sysyc lsp`: run by tests/lsp.rs with SYSYC and SYSY_FILE set.
local function fail(why)
  io.stdout:write('failed: ' .. why .. '\n')
  vim.cmd('cquit 1')
end
local function check(what, is_so, seen)
  if not is_so then fail(what .. ': ' .. vim.inspect(seen)) end
end
local function wait(what, is_so)
  if not vim.wait(30000, is_so, 10) then fail(what .. ': ' .. vim.inspect(vim.diagnostic.get(0))) end
end
local function run()
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.SYSY_FILE))
  local id = vim.lsp.start_client({ name = 'sysyc', cmd = { vim.env.SYSYC, 'lsp', '-Wall' }, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(0, id)
  local function ask(method, line, character, more)
    local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = character } }
    local got = vim.lsp.buf_request_sync(0, 'textDocument/' .. method, vim.tbl_extend('force', params, more or {}), 30000)
    check(method, got and got[id] and not got[id].err, got)
    return got[id].result
  end

  -- What is wrong is told, and mended by the action that goes with it.
  wait('two errors', function() return #vim.diagnostic.get(0) == 2 end)
  local told = vim.diagnostic.get(0)
  check('a missing semicolon', told[1].lnum == 5 and told[1].col == 13 and told[1].message:find("insert ';'"), told)
  check('a stray character', told[2].lnum == 6 and told[2].col == 18, told)
  local range = { start = { line = 5, character = 13 }, ['end'] = { line = 5, character = 13 } }
  local actions = ask('codeAction', 5, 13, { range = range, context = { diagnostics = {} } })
  vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
  check('the edit', vim.api.nvim_buf_get_lines(0, 5, 6, true)[1] == '    int n = 1;', vim.api.nvim_buf_get_lines(0, 0, -1, true))
  wait('one error', function() return #vim.diagnostic.get(0) == 1 end)
  vim.api.nvim_buf_set_text(0, 6, 18, 6, 21, { 'n' })
  wait('no error', function() return #vim.diagnostic.get(0) == 0 end)

  -- What is known of names.
  local hover = ask('hover', 6, 12).contents.value
  check('hover', hover:find('int sum%(int a, int b%)') and hover:find('求和'), hover)
  local definition = ask('definition', 6, 12)
  check('definition', definition.range.start.line == 1 and definition.range.start.character == 4, definition)
  check('references', #ask('references', 1, 4, { context = { includeDeclaration = true } }) == 2, 'count')
  local items = vim.lsp.util.text_document_completion_list_to_complete_items(ask('completion', 6, 13), 'su')
  check('completion', items[1] and items[1].word == 'sum', items)
  vim.lsp.util.apply_workspace_edit(ask('rename', 6, 12, { newName = 'add' }), 'utf-16')
  local lines = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
  check('rename', lines:find('int add%(int a') and lines:find('return add%(n, n%)'), lines)
  vim.api.nvim_buf_set_lines(0, 5, 6, true, { '  int n=1 ;' })
  vim.lsp.util.apply_text_edits(ask('formatting', 0, 0, { options = { tabSize = 4, insertSpaces = true } }), 0, 'utf-16')
  local line = vim.api.nvim_buf_get_lines(0, 5, 6, true)[1]
  check('formatting', line == '    int n = 1;', line)
  local symbols = ask('documentSymbol', 0, 0)
  check('symbols', #symbols == 2 and symbols[1].name == 'add', symbols)
  io.stdout:write('all well\n')
  vim.lsp.stop_client(id)
  vim.cmd('qall!')
end
local is_well, why = pcall(run)
if not is_well then fail(tostring(why)) end
