#include "policy/guard/program/call_table.h"

#include <array>
#include <map>
#include <span>

#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using A = ProgramAct;
using S = CallShape;

constexpr std::string_view kCloudChange = kServiceChange;
constexpr std::string_view kMail = "mail -s x a@h.example";
constexpr std::string_view kUpload = "huggingface-cli upload x";

constexpr KnownCall kPythonCalls[] = {
    {"os.system os.popen os.popen2 os.popen3 os.popen4 posix.system subprocess.getoutput "
     "subprocess.getstatusoutput commands.getoutput commands.getstatusoutput "
     "create_subprocess_shell getstatusoutput pexpect.run",
     A::start, S::text},
    {"subprocess.run subprocess.call subprocess.Popen subprocess.check_call check_call "
     "subprocess.check_output check_output =Popen Popen sp.run sp.call sp.Popen pty.spawn "
     "psutil.Popen",
     A::start, S::list_or_text},
    {"create_subprocess_exec", A::start, S::argv},
    {"IMAP4_stream", A::start, S::text},
    {"pexpect.spawn pexpect.spawnu", A::start, S::program_list},
    {"os.execl os.execlp os.execle os.execlpe", A::start, S::execl},
    {"os.execv os.execvp os.execve os.execvpe os.posix_spawn os.posix_spawnp "
     "spawnv_passfds",
     A::start, S::execv},
    {"os.spawnl os.spawnlp os.spawnle os.spawnlpe", A::start, S::spawnl},
    {"os.spawnv os.spawnvp os.spawnve os.spawnvpe", A::start, S::spawnv},
    {"os.startfile", A::start, S::argv},
    {"c.run ctx.run conn.run connection.run Connection.run c.local c.sudo ctx.sudo conn.sudo",
     A::start, S::text},
    {"exec_command", A::start_remote, S::text},
    {"system", A::start, S::text},  // of a library that was loaded
    {"shutil.rmtree rmtree distutils.dir_util.remove_tree remove_tree rmtree_p", A::remove_all},
    {"os.remove os.unlink os.removedirs", A::remove},
    {"os.rmdir", A::remove_empty},
    {"unlink rmtree", A::remove, S::receiver},
    {"os.rename os.renames os.replace shutil.move", A::move},
    {"rename replace", A::move, S::receiver},
    {"shutil.copy shutil.copy2 shutil.copyfile shutil.copytree shutil.copymode shutil.copystat",
     A::copy},
    {"os.walk os.fwalk os.scandir os.listdir glob.glob glob.iglob", A::list},
    {"rglob iterdir glob walk", A::list, S::receiver},
    {"os.symlink os.link", A::link},
    {"symlink_to hardlink_to", A::link, S::receiver},
    {"os.truncate", A::truncate},
    {"=open io.open codecs.open gzip.open bz2.open lzma.open builtins.open os.fdopen aiofiles.open",
     A::write, S::opens},
    {"os.open", A::write, S::opens},
    {"open", A::write, S::receiver},
    {"write_text write_bytes touch", A::write, S::receiver},
    {"read_text read_bytes", A::read, S::receiver},
    {"os.mkdir os.makedirs makedirs", A::make},
    {"os.chdir os.fchdir contextlib.chdir", A::enter},
    {"os.putenv environ.setdefault environ.update env.update env.setdefault", A::set_variable},
    {"io.FileIO", A::write, S::opens},
    {"logging.basicConfig logging.FileHandler", A::write},
    {"fileinput.input fileinput.FileInput linecache.getline linecache.getlines", A::read},
    {"read", A::read, S::first, "configparser"},
    {"webbrowser.get", A::start, S::text},
    {"webbrowser.GenericBrowser webbrowser.BackgroundBrowser", A::start, S::list_or_text},
    {"pydoc.pipepager pydoc.tempfilepager pipes.Template doctest.run_docstring_examples "
     "doctest.debug_src",
     A::hide},
    {"spawn", A::start, S::list_or_text, "distutils"},
    {"mkdir", A::make, S::receiver},
    {"os.chmod os.lchmod", A::change_mode},
    {"chmod", A::change_mode, S::receiver},
    {"os.chown os.lchown shutil.chown", A::change_owner},
    {"os.kill os.killpg signal.pthread_kill", A::kill},
    {"kill terminate send_signal suspend", A::kill_found, S::receiver, "psutil"},
    {"requests.post requests.put requests.patch requests.delete requests.request httpx.post "
     "httpx.put httpx.patch httpx.delete httpx.request session.post session.put session.delete "
     "s.post s.delete client.post urlopen urllib.request.Request "
     "=Request urllib2.Request",
     A::send},
    {"requests.get requests.head httpx.get session.get s.get client.get", A::fetch},
    {"request", A::send, S::second, "http"},
    {"sendmail send_message", A::as_command, S::all, "smtplib", kMail},
    {"send", A::as_command, S::all, "aiosmtplib", kMail},
    {"send send_message", A::as_command, S::all, "yagmail", kMail},
    {"send_message send_document send_photo sendMessage", A::as_command, S::all, "telegram", kMail},
    {"send_message send_document send_photo", A::as_command, S::all, "telebot", kMail},
    {"create", A::as_command, S::all, "twilio", kMail},
    {"send", A::as_command, S::all, "sendgrid", kMail},
    {"chat_postMessage files_upload files_upload_v2 send", A::as_command, S::all, "slack_sdk",
     kMail},
    {"chat_postMessage", A::as_command, S::all, "slack", kMail},
    {"send_mail send_mass_mail mail_admins", A::as_command, S::all, "django", kMail},
    {"send_email send_raw_email publish", A::as_command, S::all, "boto3", kCloudChange},
    {"upload_file upload_folder upload_large_folder create_repo delete_repo push_to_hub",
     A::as_command, S::all, "huggingface_hub", kUpload},
    {"push_to_hub", A::as_command, S::all, "transformers datasets", kUpload},
    {"list_namespaced_secret read_namespaced_secret list_secret_for_all_namespaces", A::as_command,
     S::all, "kubernetes", "kubectl get secret x -o yaml"},
    {"sendmail send_message", A::send, S::all},
    {"connect create_connection connect_ex", A::connect, S::all, "socket"},
    {"urlretrieve wget.download", A::download},
    {"extractall", A::unpack},
    {"shutil.unpack_archive", A::unpack, S::second},
    {"upload_file put", A::upload, S::all, "boto3"},
    {"delete delete_object delete_objects delete_bucket delete_table delete_item delete_stack "
     "delete_function delete_queue delete_secret delete_user delete_role delete_cluster "
     "delete_db_instance delete_db_cluster delete_snapshot delete_volume delete_log_group "
     "delete_repository delete_topic purge_queue terminate terminate_instances stop_instances "
     "schedule_key_deletion",
     A::as_command, S::all, "boto3", kCloudChange},
    {"flushall flushdb", A::as_command, S::all, "redis", "redis-cli FLUSHALL"},
    {"drop drop_database drop_collection delete_many", A::as_command, S::all, "pymongo",
     "mongosh --eval 'db.dropDatabase()'"},
    {"delete delete_by_query", A::as_command, S::all, "elasticsearch",
     "curl -X DELETE http://h.example/i"},
    {"drop drop_all drop_database", A::as_command, S::all, "sqlalchemy_utils", "dropdb x"},
    {"get_password get_credential", A::as_command, S::all, "keyring", "secret-tool lookup a b"},
    {"set_password delete_password", A::as_command, S::all, "keyring", "secret-tool clear a b"},
    {"delete_blob delete_blobs delete_bucket delete_dataset delete_table delete_topic "
     "delete_instance",
     A::as_command, S::all, "google", kCloudChange},
    {"delete_blob delete_container begin_delete begin_deallocate begin_power_off", A::as_command,
     S::all, "azure", kCloudChange},
    {"prune", A::as_command, S::all, "docker", "docker system prune -af"},
    {"pickle.load cPickle.load dill.load cloudpickle.load joblib.load torch.load pd.read_pickle "
     "pandas.read_pickle read_pickle",
     A::unpickle},
    {"put", A::upload, S::all, "paramiko"},
    {"storbinary storlines", A::upload, S::all, "ftplib"},
    {"sqlite3.connect", A::read},
    {"psycopg2.connect psycopg.connect pymysql.connect MySQLdb.connect mysql.connector.connect "
     "asyncpg.connect sqlalchemy.create_engine create_engine pymongo.MongoClient MongoClient "
     "pyodbc.connect pymssql.connect",
     A::database},
    {"delete_one update_one update_many insert_one insert_many replace_one bulk_write "
     "find_one_and_delete find_one_and_update",
     A::documents, S::all, "pymongo"},
    {"execute executescript executemany", A::query, S::first,
     "psycopg2 psycopg pymysql MySQLdb mysql sqlalchemy sqlite3"},
    {"=eval =exec =execfile builtins.eval builtins.exec timeit.timeit timeit.repeat timeit.Timer "
     "run_code =compile "
     "cProfile.run cProfile.runctx profile.run profile.runctx pdb.run pdb.runeval pdb.runctx",
     A::evaluate},
    {"run runctx runeval", A::evaluate, S::first, "bdb"},
    {"run runctx", A::evaluate, S::first, "trace"},
    {"run runctx", A::evaluate, S::first, "cProfile"},
    {"runpy.run_path runpy.run_module", A::start, S::argv},
    {"__import__ importlib.import_module import_module", A::load},
    {"pkgutil.resolve_name code.interact code.InteractiveConsole code.InteractiveInterpreter",
     A::hide},
    {"marshal.loads marshal.load dill.loads cloudpickle.loads yaml.unsafe_load", A::native},
    {"ctypes.CDLL CDLL ctypes.PyDLL PyDLL cdll.LoadLibrary LoadLibrary ctypes.cast ctypes.memmove "
     "ctypes.pythonapi ffi.dlopen dlopen",
     A::native},
};

constexpr KnownCall kJavaScriptCalls[] = {
    {"process.chdir Deno.chdir", A::enter},
    {"child_process.exec child_process.execSync execSync cp.exec shell.exec shelljs.exec "
     "execaCommand execaCommandSync execa.command",
     A::start, S::text},
    {"child_process.execFile child_process.execFileSync child_process.spawn "
     "child_process.spawnSync child_process.fork cp.execFile cp.spawn cp.spawnSync cp.execFileSync "
     "execFileSync spawnSync execa execaSync execa.sync pty.spawn Deno.Command",
     A::start, S::program_list},
    {"Bun.spawn Bun.spawnSync Deno.run", A::start, S::list_or_text},
    {"shelljs.rm shell.rm", A::remove_all, S::all},
    {"rimraf rimrafSync rimraf.sync fs-extra.remove fs-extra.removeSync removeSync emptyDirSync "
     "emptyDir fs-extra.emptyDir deleteSync del.sync =del",
     A::remove_all},
    {"fs.rm fs.rmSync fs.unlink fs.unlinkSync fs.rmdir fs.rmdirSync promises.rm promises.unlink "
     "promises.rmdir rmSync unlinkSync rmdirSync Deno.remove Deno.removeSync",
     A::remove},
    {"fs.rename fs.renameSync promises.rename renameSync fs-extra.move fs-extra.moveSync "
     "Deno.rename Deno.renameSync",
     A::move},
    {"fs.copyFile fs.copyFileSync fs.cp fs.cpSync promises.copyFile promises.cp copyFileSync "
     "cpSync fs-extra.copy fs-extra.copySync Deno.copyFile",
     A::copy},
    {"fs.symlink fs.symlinkSync promises.symlink symlinkSync fs.link fs.linkSync", A::link},
    {"fs.truncate fs.truncateSync promises.truncate truncateSync", A::truncate},
    {"fs.writeFile fs.writeFileSync fs.appendFile fs.appendFileSync promises.writeFile "
     "promises.appendFile writeFileSync appendFileSync fs.createWriteStream createWriteStream "
     "fs-extra.outputFile outputFileSync outputFile Deno.writeTextFile Deno.writeTextFileSync "
     "Deno.writeFile Deno.writeFileSync Bun.write",
     A::write},
    {"fs.openSync fs.open promises.open", A::write, S::opens},
    {"fs.readFile fs.readFileSync promises.readFile readFileSync fs.createReadStream "
     "createReadStream Deno.readTextFile Deno.readTextFileSync Bun.file",
     A::read},
    {"fs.readdir fs.readdirSync promises.readdir readdirSync", A::list},
    {"fs.mkdir fs.mkdirSync promises.mkdir mkdirSync fs-extra.ensureDir ensureDirSync "
     "fs-extra.mkdirp Deno.mkdir Deno.mkdirSync",
     A::make},
    {"fs.chmod fs.chmodSync promises.chmod chmodSync Deno.chmod", A::change_mode},
    {"fs.chown fs.chownSync promises.chown chownSync", A::change_owner},
    {"process.kill Deno.kill", A::kill},
    {"=fetch node-fetch undici.fetch undici.request axios.post axios.put axios.patch axios.delete "
     "axios "
     "got.post got.put got https.request http.request sendBeacon request.post superagent.post",
     A::send},
    {"sendMail", A::as_command, S::all, "nodemailer", kMail},
    {"create", A::as_command, S::all, "twilio", kMail},
    {"send", A::as_command, S::all, "@sendgrid/mail", kMail},
    {"postMessage", A::as_command, S::all, "@slack/web-api", kMail},
    {"send", A::as_command, S::all, "@slack/webhook", kMail},
    {"sendMessage", A::as_command, S::all, "node-telegram-bot-api", kMail},
    {"sendMail", A::send, S::all},
    {"net.connect net.createConnection net.Socket tls.connect", A::connect, S::all},
    {"flushall flushdb flushAll flushDb", A::as_command, S::all, "redis ioredis",
     "redis-cli FLUSHALL"},
    {"dropDatabase dropCollection deleteMany", A::as_command, S::all, "mongodb mongoose",
     "mongosh --eval 'db.dropDatabase()'"},
    {"getPassword findPassword findCredentials", A::as_command, S::all, "keytar",
     "secret-tool lookup a b"},
    {"pg.Client pg.Pool mysql.createConnection mysql2.createConnection mysql2.createPool "
     "mongodb.MongoClient MongoClient.connect mongoose.connect",
     A::database},
    {"deleteOne updateOne updateMany insertOne insertMany replaceOne bulkWrite findOneAndDelete "
     "findOneAndUpdate",
     A::documents, S::all, "mongodb"},
    {"query", A::query, S::first, "pg"},
    {"$executeRawUnsafe $queryRawUnsafe $executeRaw executeRawUnsafe queryRawUnsafe", A::query},
    {"CreateAccessKeyCommand DeleteObjectCommand DeleteObjectsCommand DeleteBucketCommand "
     "DeleteTableCommand DeleteItemCommand TerminateInstancesCommand StopInstancesCommand "
     "DeleteDBInstanceCommand DeleteStackCommand DeleteFunctionCommand DeleteUserCommand "
     "DeleteRoleCommand DeleteSecretCommand PutBucketPolicyCommand AttachUserPolicyCommand "
     "AttachRolePolicyCommand PutUserPolicyCommand ScheduleKeyDeletionCommand",
     A::as_command, S::all, "", kCloudChange},
    {"query execute", A::query, S::first, "mysql mysql2"},
    {"=eval globalThis.eval global.eval window.eval =Function Function vm.runInThisContext "
     "vm.runInNewContext vm.runInContext "
     "runInThisContext runInNewContext runInContext vm.Script compileFunction Worker",
     A::evaluate},
    {"=require =import", A::load},
    {"process.binding process.dlopen bun:ffi.dlopen Deno.dlopen =dlopen", A::native},
    {"constructor", A::hide},
};

constexpr KnownCall kPerlCalls[] = {
    {"=chdir", A::enter},
    {"=system =exec CORE.system CORE.exec systemx capture capturex open2 open3 IPC.Run.run",
     A::start, S::words},
    {"=rmtree =remove_tree rmtree remove_tree =pathrmdir", A::remove_all, S::all},
    {"=unlink POSIX.unlink POSIX.remove", A::remove, S::all},
    {"=rmdir POSIX.rmdir", A::remove_empty, S::all},
    {"=rename =move File.Copy.move POSIX.rename", A::move},
    {"=copy File.Copy.copy =cp", A::copy},
    {"=symlink =link", A::link},
    {"=truncate", A::truncate},
    {"=open", A::write, S::perl_open},
    {"=sysopen", A::write, S::second},
    {"IO.File.new", A::write, S::opens},
    {"=mkdir =make_path =mkpath", A::make, S::all},
    {"=chmod", A::change_mode, S::all},
    {"=chown", A::change_owner, S::all},
    {"=kill", A::kill, S::all},
    {"post", A::send, S::first, "LWP.UserAgent"},
    {"IO.Socket.INET.new IO.Socket.new", A::connect, S::all},
    {"=connect", A::connect, S::all},
    {"=getstore", A::download},
    {"=eval", A::evaluate},
    {"=do", A::evaluate},
    {"=require", A::load},
    {"=syscall DynaLoader.dl_load_file", A::native},
};

constexpr KnownCall kRubyCalls[] = {
    {"ENV.store ENV.update", A::set_variable},
    {"Dir.chdir FileUtils.cd FileUtils.chdir", A::enter},
    {"=system =exec =spawn Kernel.system Kernel.exec Kernel.spawn Process.spawn Process.exec "
     "IO.popen Open3.capture2 Open3.capture2e Open3.capture3 Open3.popen2 Open3.popen2e "
     "Open3.popen3 Open3.pipeline PTY.spawn =sh os.cmd System.shell",
     A::start, S::words},
    {"System.cmd", A::start, S::program_list},
    {"FileUtils.rm_rf FileUtils.rm_r FileUtils.rmtree FileUtils.remove_dir FileUtils.remove_entry "
     "FileUtils.remove_entry_secure rm_rf rm_r remove_dir remove_entry_secure remove_entry "
     "File.rm_rf",
     A::remove_all, S::all},
    {"rmtree", A::remove_all, S::receiver},
    {"FileUtils.rm FileUtils.rm_f FileUtils.remove File.delete File.unlink Dir.delete Dir.unlink "
     "=rm =rm_f File.rm",
     A::remove, S::all},
    {"Dir.rmdir FileUtils.rmdir", A::remove_empty, S::all},
    {"Pathname.delete Pathname.unlink Pathname.rmtree", A::remove, S::receiver},
    {"File.rename FileUtils.mv FileUtils.move =mv", A::move},
    {"FileUtils.cp FileUtils.cp_r FileUtils.copy FileUtils.install =cp =cp_r IO.copy_stream",
     A::copy},
    {"File.symlink FileUtils.ln_s FileUtils.ln_sf =ln_s", A::link},
    {"File.truncate", A::truncate},
    {"File.write IO.write File.binwrite IO.binwrite", A::write},
    {"File.open File.new =open IO.open", A::write, S::opens},
    {"Dir.glob Dir.children Dir.entries Dir.each_child Dir.foreach Find.find", A::list},
    {"File.read IO.read File.readlines IO.readlines File.binread", A::read},
    {"FileUtils.mkdir FileUtils.mkdir_p Dir.mkdir =mkdir =mkdir_p", A::make, S::all},
    {"FileUtils.chmod FileUtils.chmod_R File.chmod =chmod", A::change_mode, S::all},
    {"FileUtils.chown FileUtils.chown_R File.chown", A::change_owner, S::all},
    {"Process.kill", A::kill, S::all},
    {"flushall flushdb", A::as_command, S::all, "redis", "redis-cli FLUSHALL"},
    {"Net.HTTP.post Net.HTTP.post_form HTTParty.post Faraday.post RestClient.post", A::send},
    {"TCPSocket.new TCPSocket.open Socket.tcp UDPSocket.new", A::connect, S::all},
    {"=eval instance_eval class_eval module_eval binding.eval Kernel.eval Code.eval_string",
     A::evaluate},
    {"Kernel.send Kernel.public_send Kernel.method Kernel.__send__ Object.send Object.public_send "
     "Object.const_get Kernel.const_get FileUtils.send FileUtils.public_send File.send "
     "FileUtils.method Process.send IO.send self.send Object.method Kernel.instance_method",
     A::hide},
    {"Marshal.load Fiddle.dlopen Fiddle.Function.new", A::native},
};

constexpr KnownCall kPhpCalls[] = {
    {"=putenv", A::set_variable},
    {"=chdir", A::enter},
    {"=system =exec =shell_exec =passthru =popen =expect_popen", A::start, S::text},
    {"=proc_open", A::start, S::list_or_text},
    {"=pcntl_exec", A::start, S::program_list},
    {"=unlink", A::remove},
    {"=rmdir", A::remove_empty},
    {"=rename", A::move},
    {"=copy", A::copy},
    {"=symlink =link", A::link},
    {"=file_put_contents =touch", A::write},
    {"=fopen", A::write, S::opens},
    {"=file_get_contents =readfile", A::read},
    {"=mkdir", A::make},
    {"=chmod", A::change_mode},
    {"=chown =chgrp", A::change_owner},
    {"=posix_kill", A::kill},
    {"=mail", A::as_command, S::all, "", kMail},
    {"=curl_exec", A::send, S::all},
    {"=fsockopen =pfsockopen =stream_socket_client =socket_connect", A::connect, S::all},
    {"=eval =assert =create_function", A::evaluate},
    {"=scandir =glob", A::list},
    {"=call_user_func =call_user_func_array =array_map =array_filter =usort =uasort =array_walk "
     "=register_shutdown_function =ob_start",
     A::hide},
    {"=include =include_once =require =require_once", A::run_file},
    {"=dl FFI.cdef FFI.load", A::native},
};

constexpr KnownCall kLuaCalls[] = {
    {"lfs.chdir", A::enter},
    {"os.execute io.popen", A::start, S::text},
    {"os.remove", A::remove},
    {"os.rename", A::move},
    {"io.open", A::write, S::opens},
    {"io.output", A::write},
    {"socket.connect", A::connect, S::all},
    {"=load =loadstring", A::evaluate},
    {"=dofile =loadfile =require", A::load},
    {"package.loadlib ffi.load ffi.C.system", A::native},
};

constexpr KnownCall kRCalls[] = {
    {"=setwd", A::enter},
    {"=system =shell base.system =syscmd =esyscmd =shell_cmd =unix", A::start, S::text},
    {"=system2 base.system2 processx.run =popen2", A::start, S::program_list},
    {"=unlink =file.remove =file_delete =fs.file_delete =delete =dir_delete", A::remove, S::all},
    {"=rmdir", A::remove, S::all},
    {"=file.rename =rename =movefile", A::move},
    {"=file.copy =copyfile", A::copy},
    {"=writeLines =write.csv =write.table =saveRDS =write =dump =dput =fwrite", A::write,
     S::second},
    {"=file =fopen", A::write, S::opens},
    {"=sink =set_output", A::write},
    {"=readLines =readRDS =read.csv", A::read},
    {"=list.files =dir", A::list},
    {"=do.call =match.fun", A::hide},
    {"=dir.create =mkdir", A::make},
    {"=Sys.chmod", A::change_mode},
    {"=pskill tools.pskill", A::kill},
    {"=POST httr.POST =PUT", A::send},
    {"=download.file", A::download},
    {"=eval =evalin =evalc", A::evaluate},
    {"=source", A::run_file},
    {"=dyn.load", A::native},
    {"=remove.packages utils.remove.packages", A::as_command, S::all, "", "R CMD REMOVE x"},
};

constexpr KnownCall kJuliaCalls[] = {
    {"=cd", A::enter},
    {"=rm Base.rm", A::remove_all},
    {"=mv", A::move},
    {"=cp", A::copy},
    {"=symlink", A::link},
    {"=write", A::write},
    {"=open", A::write, S::opens},
    {"=read =readlines", A::read},
    {"=mkdir =mkpath", A::make},
    {"=chmod", A::change_mode},
    {"=download Downloads.download", A::download},
    {"HTTP.post HTTP.put", A::send},
    {"=eval Meta.parse =include_string =evalfile", A::evaluate},
    {"=ccall Libdl.dlopen", A::native},
};

constexpr KnownCall kCCalls[] = {
    {"=setenv =putenv os.Setenv env.set_var", A::set_variable},
    {"=chdir os.Chdir env.set_current_dir set_current_dir Directory.SetCurrentDirectory", A::enter},
    {"=symlink os.Symlink Files.createSymbolicLink", A::link},
    {"system popen getRuntime.exec Runtime.exec runtime.exec rt.exec =execute =shell "
     "ShellExecute WinExec",
     A::start, S::words},
    {"=commandLine", A::start, S::argv},
    {"exec.Command ProcessBuilder ProcessStartInfo Process.Start Command.new Deno.Command",
     A::start, S::argv},
    {"exec.CommandContext", A::start, S::spawnl},
    {"Process.run Process.start Process.runSync", A::start, S::program_list},
    {"execl execlp execle", A::start, S::execl},
    {"execv execvp execve execvpe posix_spawn posix_spawnp syscall.Exec os.StartProcess "
     "syscall.ForkExec",
     A::start, S::execv},
    {"os.RemoveAll remove_dir_all deleteRecursively FileUtils.deleteDirectory Directory.Delete "
     "remove_all filesystem.remove_all deleteDir",
     A::remove_all},
    {"unlink os.Remove fs.remove_file remove_file filesystem.remove std.remove =remove "
     "Files.delete Files.deleteIfExists File.Delete removeItem deleteSync =unlinkat",
     A::remove},
    {"=rmdir fs.remove_dir", A::remove_empty},
    {"=rename os.Rename fs.rename Files.move File.Move", A::move},
    {"fs.copy Files.copy File.Copy", A::copy},
    {"os.WriteFile ioutil.WriteFile os.Create fs.write File.create Files.write Files.writeString "
     "FileWriter FileOutputStream ofstream File.WriteAllText =creat",
     A::write},
    {"fopen =open os.OpenFile", A::write, S::opens},
    {"os.Chmod =chmod fs.set_permissions", A::change_mode},
    {"os.Chown =chown", A::change_owner},
    {"os.MkdirAll os.Mkdir fs.create_dir_all =mkdir create_directories", A::make},
    {"os.Truncate =truncate", A::truncate},
    {"=kill syscall.Kill killpg", A::kill},
    {"http.Post http.PostForm", A::send},
};

std::span<const KnownCall> rows_of(ProgramLanguage language) {
  switch (language) {
    case ProgramLanguage::python:
      return kPythonCalls;
    case ProgramLanguage::javascript:
      return kJavaScriptCalls;
    case ProgramLanguage::perl:
      return kPerlCalls;
    case ProgramLanguage::ruby:
      return kRubyCalls;
    case ProgramLanguage::php:
      return kPhpCalls;
    case ProgramLanguage::lua:
      return kLuaCalls;
    case ProgramLanguage::r:
      return kRCalls;
    case ProgramLanguage::julia:
      return kJuliaCalls;
    case ProgramLanguage::c:
      return kCCalls;
  }
  return {};
}

using CallIndex = std::map<std::string_view, std::vector<const KnownCall*>>;
constexpr std::size_t kLanguages = static_cast<std::size_t>(ProgramLanguage::c) + 1;

std::array<CallIndex, kLanguages> make_call_index() {
  std::array<CallIndex, kLanguages> all;
  for (std::size_t i = 0; i < kLanguages; ++i) {
    for (const KnownCall& row : rows_of(static_cast<ProgramLanguage>(i))) {
      for (std::string_view names = row.names; !names.empty();) {
        std::string_view name = next_word(names);
        if (name.empty()) continue;
        // the last word; a dot may be a part of a name of R
        const bool whole = name.starts_with('=');
        if (whole) name.remove_prefix(1);
        if (!whole || static_cast<ProgramLanguage>(i) != ProgramLanguage::r) {
          name = name.substr(name.find_last_of('.') + 1);
        }
        std::vector<const KnownCall*>& rows = all[i][name];
        if (rows.empty() || rows.back() != &row) rows.push_back(&row);
      }
    }
  }
  return all;
}

}  // namespace

const std::vector<const KnownCall*>& known_calls(ProgramLanguage language, std::string_view last) {
  static const std::array<CallIndex, kLanguages> index = make_call_index();
  static const std::vector<const KnownCall*> none;
  const CallIndex& rows = index[static_cast<std::size_t>(language)];
  const auto found = rows.find(last);
  return found == rows.end() ? none : found->second;
}

}  // namespace talaria::guard
